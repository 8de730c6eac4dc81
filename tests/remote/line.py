# SPDX-License-Identifier: Apache-2.0
"""
A line with a delay and a rate, as a TCP proxy: what a server on this machine is like from afar.
Bytes to the client leave when the shared rate lets them and arrive half a round trip later;
requests take the other half. A connection has at most `window` bytes on the way, which limits its
own rate to one window a round trip. In its own process: Line(port) as line: line.port.
"""
import asyncio
import multiprocessing
import socket
import time

CHUNK = 64 << 10
WINDOW = 4 << 20  # as of TCP


class _Rate:
    def __init__(self, bytes_per_second):
        self.rate, self.free = bytes_per_second, 0.0

    def leave(self, count):
        """Returns the time at which `count` more bytes have been sent, after all earlier bytes."""
        self.free = max(self.free, time.monotonic()) + count / self.rate
        return self.free


async def _pump(reader, writer, rate, delay, window=WINDOW):
    queue, room = asyncio.Queue(), asyncio.Semaphore(window // CHUNK)

    async def deliver():
        while True:
            due, data = await queue.get()
            await asyncio.sleep(max(0, due - time.monotonic()))
            room.release()
            if not data:
                writer.close()
                return
            writer.write(data)
            await writer.drain()

    task = asyncio.ensure_future(deliver())
    try:
        while True:
            await room.acquire()
            data = await reader.read(CHUNK)
            due = time.monotonic() if rate is None else rate.leave(len(data))
            await queue.put((due + delay, data))
            if not data:
                break
        await task
    except OSError:
        task.cancel()
        writer.close()


async def _serve(listener, port, bytes_per_second, round_trip, window):
    rate = _Rate(bytes_per_second)

    async def connect(reader, writer):
        await asyncio.sleep(round_trip)  # the handshake
        to_reader, to_writer = await asyncio.open_connection("127.0.0.1", port)
        await asyncio.gather(_pump(reader, to_writer, None, round_trip / 2),
                             _pump(to_reader, writer, rate, round_trip / 2, window))

    server = await asyncio.start_server(connect, sock=listener)
    await server.serve_forever()


def _run(*arguments):
    asyncio.run(_serve(*arguments))


class Line:
    """with Line(port of a server) as line: line.port."""

    def __init__(self, port, bytes_per_second=125_000_000, round_trip=.02, window=WINDOW):
        self.arguments = port, bytes_per_second, round_trip, window

    def __enter__(self):
        listener = socket.create_server(("127.0.0.1", 0), backlog=64)
        self.port = listener.getsockname()[1]
        self.process = multiprocessing.Process(target=_run, args=(listener, *self.arguments),
                                               daemon=True)
        self.process.start()
        listener.close()
        return self

    def __exit__(self, *_):
        self.process.terminate()
        self.process.join()
