# SPDX-License-Identifier: Apache-2.0
"""A slow L3 decoder, written only from FORMAT.md (L3 stream): it shares no code with the C
sources."""
import struct

ORDER = {1: [0], 2: [0, 1], 3: [1, 0, 2], 4: [1, 0, 2, 3]}


class Malformed(Exception):
    """Raises Malformed unless a rule of the section holds."""


def check(sound):
    if not sound:
        raise Malformed


def symbols():
    """Yields escape, 0, 1, 255, 2, 254, 3 .. 129, 128."""
    yield 256
    yield 0
    for i in range(1, 128):
        yield i
        yield 256 - i
    yield 128


class Bits:
    """Reads bits, from the lowest of each byte up."""

    def __init__(self, data):
        self.data, self.at = data, 0

    def take(self):
        check(self.at < 8 * len(self.data))
        self.at += 1
        return self.data[(self.at - 1) // 8] >> (self.at - 1) % 8 & 1

    def number(self):
        zeros = 0
        while self.take() == 0:
            zeros += 1
            check(zeros <= 10)
        value = 1
        for _ in range(zeros):
            value = 2 * value + self.take()
        return value


class Tables:
    """The tables of a stream: the limits of each plane, and of each class (symbol, start,
    frequency)."""

    def __init__(self, data, planes):
        self.classes = []
        if not data:
            return
        count = data[0]
        check(1 <= count <= 8 and len(data) >= 1 + planes * (count - 1))
        limits = data[1:1 + planes * (count - 1)]
        self.limits = [limits[p * (count - 1):(p + 1) * (count - 1)] for p in range(planes)]
        bits = Bits(data[1 + len(limits):])
        for _ in range(count):
            self.classes.append(self.one_class(bits))
        while bits.at % 8:
            check(bits.take() == 0)
        check(bits.at == 8 * len(bits.data))

    @staticmethod
    def one_class(bits):
        found, start = [], 0
        order = symbols()
        while start < 1024:
            symbol = next(order, None)
            check(symbol is not None)
            frequency = bits.number() - 1
            if frequency:
                found.append((symbol, start, frequency))
            start += frequency
        check(start == 1024)
        return found

    def class_of(self, plane, activity):
        return sum(activity >= limit for limit in self.limits[plane])

    def symbol(self, number, slot):
        for symbol, start, frequency in self.classes[number]:
            if start <= slot < start + frequency:
                return symbol, start, frequency
        raise AssertionError("frequencies add up to 1,024")


def width_of(code, bits):
    width = 16 if code == 15 else code
    check(width <= bits)
    return width


def nibble(data, index):
    return data[index // 2] >> 4 * (index % 2) & 15


def distance(value, bits):
    """Returns |value| of a signed number of 8 or 16 bits."""
    size = 65536 if bits == 16 else 256
    value %= size
    return min(value, size - value)


def unzigzag(u):
    return u // 2 if u % 2 == 0 else -(u + 1) // 2


class Patch:
    """One patch; `rows[plane]` grows row by row."""

    def __init__(self, data, width, height, stream):
        self.data, self.width, self.height, self.stream = data, width, height, stream
        self.bits, self.planes = stream.bits, stream.samples
        self.size = 1 << self.bits
        self.rows = [[] for _ in range(self.planes)]
        self.residuals = [[] for _ in range(self.planes)]
        self.at = 1
        check(data)

    def take(self, count):
        check(self.at + count <= len(self.data))
        self.at += count
        return self.data[self.at - count:self.at]

    def above(self, plane):
        return self.rows[plane][-1] if self.rows[plane] else [0] * self.width

    def add(self, plane, predictor, residuals):
        check(predictor < 6)
        above, row, last = self.above(plane), [], self.width - 1
        for x in range(self.width):
            t, tl, tr = above[x], above[max(x - 1, 0)], above[min(x + 1, last)]
            left = row[x - 1] if x else t
            closest = min((tl, t, tr), key=lambda n: abs(n - (tl + tr - t)))
            guess = [t, closest, left + t - tl, left, (t + tr + 1) // 2,
                     (tl + 2 * t + tr + 2) // 4][predictor]
            row.append((guess + residuals[x]) % self.size)
        self.rows[plane].append(row)
        self.residuals[plane].append(residuals)

    def runs(self):
        return [(y, p) for y in range(self.height) for p in range(self.planes)]

    def fields(self, width, count):
        """Reads `count` fields; the last group is always whole."""
        found = []
        for _ in range((count + 7) // 8):
            group = int.from_bytes(self.take(width), "little")
            found += [group >> width * i & (1 << width) - 1 for i in range(8)]
        return found[:count]

    def packed(self):
        runs = self.runs()
        predictors = self.take((len(runs) + 1) // 2)
        blocks = (self.width + 15) // 16
        widths = [self.take((blocks + 1) // 2) for _ in runs]
        for run, (_, plane) in enumerate(runs):
            residuals = []
            for block in range(blocks):
                width = width_of(nibble(widths[run], block), self.bits)
                count = min(16, self.width - 16 * block)
                bias = 1 << width - 1 if width else 0
                residuals += [f - bias for f in self.fields(width, count)]
            self.add(plane, nibble(predictors, run), residuals)
        check(self.at == len(self.data))

    def paper(self):
        runs, base_bytes = self.runs(), 2 if self.bits == 16 else 1
        bases = [int.from_bytes(self.take(base_bytes), "little") for _ in runs]
        widths = self.take((len(runs) + 1) // 2)
        for run, (_, plane) in enumerate(runs):
            width = width_of(nibble(widths, run), self.bits)
            self.add(plane, 1, [bases[run] + f for f in self.fields(width, self.width)])
        check(self.at == len(self.data))

    def activity(self, plane, x):
        above, last = self.above(plane), self.width - 1
        before = self.residuals[plane][-1] if self.residuals[plane] else None
        m = [distance(r, self.bits) for r in before] if before else [4] * self.width
        t = above[x]
        total = (distance(t - above[max(x - 1, 0)], self.bits) +
                 distance(t - above[min(x + 1, last)], self.bits) +
                 m[max(x - 1, 0)] + 2 * m[x] + m[min(x + 1, last)])
        if self.bits == 16 and total >= 8:
            e = total.bit_length() - 1
            total = 8 * (e - 2) + (total >> e - 3 & 7)
        return min(total, 127)

    def refill(self, lane):
        if self.states[lane] < 65536:
            word = int.from_bytes(self.take(2), "little")
            self.states[lane] = self.states[lane] << 16 | word

    def open(self, lane, bits):
        value = self.states[lane] % (1 << bits)
        self.states[lane] >>= bits
        self.refill(lane)
        return value

    def finish(self, lane, symbol):
        if symbol == 256:
            value = self.open(lane, 16 if self.bits == 16 else 8)
            return value if self.bits == 16 or value < 128 else value - 256
        if self.bits < 16:
            return symbol if symbol < 128 else symbol - 256
        token = symbol % 64
        if token < 16:
            return unzigzag(token)
        bits = token // 4 - 2
        return unzigzag((4 + token % 4 << bits) + self.open(lane, bits))

    def small_run(self, plane):
        tables, residuals = self.stream.tables, []
        for first in range(0, self.width, 32):
            columns = range(first, min(first + 32, self.width))
            found = []
            for x in columns:
                number = tables.class_of(plane, self.activity(plane, x))
                lane, slot = x % 32, self.states[x % 32] % 1024
                symbol, start, frequency = tables.symbol(number, slot)
                self.states[lane] = frequency * (self.states[lane] >> 10) + slot - start
                self.refill(lane)
                found.append(symbol)
            residuals += [self.finish(x % 32, found[x - first]) for x in columns]
        return residuals

    def small(self):
        runs = self.runs()
        check(self.stream.tables.classes)
        predictors = self.take((len(runs) + 1) // 2)
        lanes = min(self.width, 32)
        self.states = list(struct.unpack(f"<{lanes}I", self.take(4 * lanes)))
        for run, (_, plane) in enumerate(runs):
            self.add(plane, nibble(predictors, run), self.small_run(plane))
        check(self.at == len(self.data) and all(s == 65536 for s in self.states))

    def flat(self):
        size = 2 if self.bits == 16 else 1
        pixel = [int.from_bytes(self.take(size), "little") for _ in range(self.planes)]
        check(self.at == len(self.data) and all(v < self.size for v in pixel))
        for plane, sample in enumerate(ORDER[self.planes]):
            self.rows[plane] = [[pixel[sample]] * self.width] * self.height

    def decode(self):
        kind = self.data[0]
        check(kind < 6 and (kind < 4 or self.planes >= 3))
        [self.small, self.packed, self.paper, self.flat][kind % 4]()
        if kind >= 4:
            for row in range(self.height):
                for plane in (1, 2):
                    self.rows[plane][row] = [(a + g) % self.size for a, g in
                                             zip(self.rows[plane][row], self.rows[0][row])]
        samples = [None] * self.planes
        for plane, sample in enumerate(ORDER[self.planes]):
            samples[sample] = self.rows[plane]
        return samples


class Stream:
    """A whole stream; `pixels[y][x]` is a list of samples."""

    def __init__(self, data):
        check(len(data) >= 16)
        self.width, self.height, self.samples, self.bits, side, reserved, table_bytes = \
            struct.unpack("<IIBBBBI", data[:16])
        check(1 <= self.width < 1 << 31 and 1 <= self.height < 1 << 31)
        check(1 <= self.samples <= 4 and self.bits in (1, 2, 4, 8, 16))
        check(5 <= side <= 7 and reserved == 0)
        self.side = 1 << side
        columns = (self.width + self.side - 1) // self.side
        count = columns * ((self.height + self.side - 1) // self.side)
        head = 16 + 4 * count + table_bytes
        check(len(data) >= head)
        sizes = struct.unpack(f"<{count}I", data[16:16 + 4 * count])
        check(head + sum(sizes) == len(data))
        self.tables = Tables(data[16 + 4 * count:head], self.samples)
        self.pixels = [[None] * self.width for _ in range(self.height)]
        for number, size in enumerate(sizes):
            self.place(number // columns * self.side, number % columns * self.side,
                       data[head:head + size])
            head += size

    def place(self, top, left, data):
        width, height = min(self.side, self.width - left), min(self.side, self.height - top)
        samples = Patch(data, width, height, self).decode()
        for y in range(height):
            for x in range(width):
                self.pixels[top + y][left + x] = [plane[y][x] for plane in samples]

    def raw(self):
        """Returns the samples as l3_streams writes them: bytes, or little-endian words."""
        flat = [value for row in self.pixels for pixel in row for value in pixel]
        return struct.pack(f"<{len(flat)}{'H' if self.bits == 16 else 'B'}", *flat)
