# SPDX-License-Identifier: Apache-2.0
"""The list of records that a job asks its mount to load; see Mount.ahead."""
import atexit
import errno
import os
import random
import time
import warnings
import weakref

_TOUCH_S = 60    # how often the list is touched, so that it is not dropped
_KEEP_S = 600    # how long the mount keeps the list of a job that is silent, or was killed
_ALIVE = weakref.WeakSet()
_REFUSED = (errno.EPERM, errno.EACCES, errno.ENOTTY, errno.ENOSYS, errno.ENOENT)


class Announced:
    """A list of records: the window, and the next part.

    `works` is False if the mount takes no list from this user. If the mount was replaced, or has
    dropped the list, the list is sent again after check().
    """

    def __init__(self, mount, fidelity, check):
        self.mount, self.fidelity, self._check = mount, fidelity, check
        self._keep_s = _KEEP_S
        self.job, self._pid = random.SystemRandom().getrandbits(63) | 1, os.getpid()
        self._records = []
        self._touched = time.monotonic()
        self.room = self.rate = self._lost = 0
        self.works = True
        # Sends the end of a job that never began, to find out whether the mount answers.
        answer = self._ahead(0, [])
        self.works = bool(answer)
        _ALIVE.add(self)

    def _ahead(self, at, records):
        """Sends a list. Returns the mount's answer, or None if there was none."""
        self._touched = time.monotonic()
        try:
            answer = self.mount.ahead(self.job, self.fidelity, at, records, keep_s=self._keep_s)
        except OSError as error:
            if error.errno in _REFUSED and not self._records:
                self.works = False
            if error.errno == errno.E2BIG and len(records) > 1:  # the table of all jobs is full
                self._records = self._records[:at + len(records) // 2]
                return self._ahead(at, records[:len(records) // 2])
            self._lost = error.errno
            return None
        self._lost = 0
        self.room, self.rate = answer.bytes_room or self.room, answer.bytes_per_second
        return answer

    def announce(self, records):
        """Replaces the list by these records, those of the window first.

        Records that are not listed any more can be evicted. Workers still have a few files of the
        last repeat to read; most are read before that happens. Returns whether there is room for
        all that is not in memory.
        """
        answer = None
        if self.works:
            self._records = list(records)
            answer = self._is_same() and self._ahead(0, self._records)
        return not answer or answer.bytes_missing <= answer.bytes_room

    def _is_same(self):
        """Returns whether the mount is there. If it was lost before, it must show the same
        store."""
        try:
            if self._lost:
                self._check()
            return True
        except OSError:
            return False

    def ask(self):
        """Returns how many records, from the beginning of the window, are in memory."""
        if not self.works or not self._records:
            return 0
        answer = self._ahead(len(self._records), [])
        if not answer and self._lost == errno.ESTALE:
            answer = self._is_same() and self._ahead(0, self._records)
        return answer.ready if answer else 0

    def refusal(self):
        """Returns why the mount takes no list, if `works` is False."""
        if self._lost in (errno.EPERM, errno.EACCES):
            return f"{self.mount.root} takes lists of records from root and its mounter alone"
        return (f"{self.mount.root} takes no lists of records: another file system lies over it, "
                "or it is of an older version")

    def touch(self):
        """Keeps the list alive."""
        if time.monotonic() - self._touched > _TOUCH_S:
            self.ask()

    def end(self):
        """Ends the job's list. A copy of the object in a forked process does nothing."""
        if self.works and self._records and os.getpid() == self._pid:
            self._records = []
            self._ahead(0, [])


@atexit.register
def _end_all():
    """Ends the lists of objects that a thread still holds when the program ends."""
    for announced in list(_ALIVE):
        announced.end()


def warn(text):
    warnings.warn(text, stacklevel=4)
