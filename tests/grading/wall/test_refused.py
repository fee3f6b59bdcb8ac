"""What a confined process must not be able to do: each a real attempt, as each kind of user.

Where the attempt could have worked, it is first made without the wall, so that a test cannot pass
because the attempt itself was wrong.
"""

from __future__ import annotations

import ctypes
import errno
import mmap
import os
import resource
import signal
import socket
import struct
import subprocess
import sys
import threading
import time
from dataclasses import replace
from pathlib import Path

import pytest

from course_lib.grading.wall import Policy
from course_lib.grading.wall.linux_calls import libc
from course_lib.grading.wall.syscall_numbers import ARCHITECTURES, architecture

MEBIBYTE = 2**20
PARENT = os.getpid()
X86 = architecture() == "x86_64"
# Calls that the wall has no word for, with their numbers on x86-64 and aarch64.
OTHER_CALLS = {
    "fork": (57, None),
    "vfork": (58, None),
    "clone": (56, 220),
    "execve": (59, 221),
    "execveat": (322, 281),
    "ptrace": (101, 117),
    "process_vm_readv": (310, 270),
    "process_vm_writev": (311, 271),
    "process_madvise": (440, 440),
    "kcmp": (312, 272),
    "pidfd_open": (434, 434),
    "pidfd_getfd": (438, 438),
    "pidfd_send_signal": (424, 424),
    "rt_sigqueueinfo": (129, 138),
    "rt_tgsigqueueinfo": (297, 240),
    "memfd_create": (319, 279),
    "memfd_secret": (447, None),
    "shmget": (29, 194),
    "shmat": (30, 196),
    "msgget": (68, 186),
    "semget": (64, 190),
    "mq_open": (240, 180),
    "io_uring_setup": (425, 425),
    "io_setup": (206, 0),
    "userfaultfd": (323, 282),
    "perf_event_open": (298, 241),
    "bpf": (321, 280),
    "add_key": (248, 217),
    "request_key": (249, 218),
    "keyctl": (250, 219),
    "unshare": (272, 97),
    "setns": (308, 268),
    "mount": (165, 40),
    "umount2": (166, 39),
    "pivot_root": (155, 41),
    "chroot": (161, 51),
    "open_tree": (428, 428),
    "move_mount": (429, 429),
    "fsopen": (430, 430),
    "fspick": (433, 433),
    "mount_setattr": (442, 442),
    "name_to_handle_at": (303, 264),
    "open_by_handle_at": (304, 265),
    "fanotify_init": (300, 262),
    "inotify_init1": (294, 26),
    "personality": (135, 92),
    "seccomp": (317, 277),
    "landlock_create_ruleset": (444, 444),
    "landlock_restrict_self": (446, 446),
    "capset": (126, 91),
    "setuid": (105, 146),
    "setresuid": (117, 147),
    "setgroups": (116, 159),
    "setsid": (112, 157),
    "setpgid": (109, 154),
    "setpriority": (141, 140),
    "ioprio_set": (251, 30),
    "sched_setaffinity": (203, 122),
    "sched_setscheduler": (144, 119),
    "mlockall": (151, 230),
    "syslog": (103, 116),
    "init_module": (175, 105),
    "finit_module": (313, 273),
    "sethostname": (170, 161),
    "clock_settime": (227, 112),
    "adjtimex": (159, 171),
    "socket": (41, 198),
    "connect": (42, 203),
    "bind": (49, 200),
    "accept4": (288, 242),
    "sendmsg": (46, 211),
    "recvmsg": (47, 212),
    "sendmmsg": (307, 269),
    "setsockopt": (54, 208),
    "splice": (275, 76),
    "vmsplice": (278, 75),
    "copy_file_range": (326, 285),
    "sendfile": (40, 71),
    "creat": (85, None),
    "truncate": (76, 45),
    "ftruncate": (77, 46),
    "fallocate": (285, 47),
    "unlinkat": (263, 35),
    "renameat2": (316, 276),
    "mkdirat": (258, 34),
    "mknodat": (259, 33),
    "linkat": (265, 37),
    "symlinkat": (266, 36),
    "fchmod": (91, 52),
    "fchmodat": (268, 53),
    "fchown": (93, 55),
    "fchownat": (260, 54),
    "utimensat": (280, 88),
    "setxattr": (188, 5),
    "getxattr": (191, 8),
    "flock": (73, 32),
    "modify_ldt": (154, None),
    "iopl": (172, None),
}
NUMBERS = {
    name: row[ARCHITECTURES.index(architecture())]
    for name, row in OTHER_CALLS.items()
    if architecture() in ARCHITECTURES and row[ARCHITECTURES.index(architecture())] is not None
}


def raw(number: int, *words: object) -> int:
    """Make a system call past every library; return 0 or more, or minus the error number."""
    result = libc().syscall(ctypes.c_long(number), *words)
    return -ctypes.get_errno() if result < 0 else result


def names(folder):
    """The entries of a directory."""
    return [entry.name for entry in Path(folder).iterdir()]


# ---------------------------------------------------------------- files


def test_files_outside_cannot_be_read(confined, secret):
    for path in (secret, Path("/etc/passwd")):
        assert confined.free(lambda path=path: len(path.read_bytes())).value > 0
    for path in (secret, Path("/etc/passwd"), Path("/proc/self/environ"), Path(__file__)):
        assert confined(lambda path=path: len(path.read_bytes())).error == "PermissionError"


def test_memory_of_the_parent_cannot_be_read(confined):
    for name in ("mem", "environ", "maps", "fd/0", "cwd"):
        outcome = confined(lambda name=name: os.open(f"/proc/{PARENT}/{name}", os.O_RDONLY))
        assert outcome.error == "PermissionError"


def test_directories_outside_cannot_be_listed(confined, secret):
    for path in ("/", "/root", "/tmp", "/proc", "/proc/self/fd", secret.parent):
        assert confined(lambda path=path: names(path)).error == "PermissionError"
    assert confined.free(lambda: names("/")).value


def test_what_may_be_listed_may_not_be_read(confined, secret):
    policy = Policy((), (str(secret.parent),), memory=256 * MEBIBYTE, cpu_seconds=5)
    assert confined(lambda: names(secret.parent), policy).value == ["secret.txt"]
    assert confined(secret.read_text, policy).error == "PermissionError"


def test_readable_file_can_be_read_and_not_its_neighbour(confined, secret):
    neighbour = secret.with_name("public.txt")
    neighbour.write_text("public")
    policy = Policy((str(neighbour),), (), memory=256 * MEBIBYTE, cpu_seconds=5)
    assert confined(neighbour.read_text, policy).value == "public"
    assert confined(secret.read_text, policy).error == "PermissionError"


def test_links_do_not_lead_out(confined, secret):
    inner = secret.parent / "inner"
    inner.mkdir()
    (inner / "link").symlink_to(secret)
    policy = Policy((str(inner),), (), memory=256 * MEBIBYTE, cpu_seconds=5)
    for path in (inner / "link", inner / ".." / "secret.txt"):
        assert confined.free(path.read_text).value
        assert confined(path.read_text, policy).error == "PermissionError"


CHANGES = {
    "append": lambda path: path.open("a").close(),
    "overwrite": lambda path: path.open("w").close(),
    "truncate by opening to read": lambda path: os.close(os.open(path, os.O_RDONLY | os.O_TRUNC)),
    "truncate by opening for neither": lambda path: os.close(os.open(path, 3 | os.O_TRUNC)),
    "truncate": lambda path: os.truncate(path, 0),
    "remove": lambda path: path.unlink(),
    "rename": lambda path: path.rename(path.with_name("new")) and None,
    "link": lambda path: path.with_name("new").hardlink_to(path),
    "symbolic link": lambda path: path.with_name("new").symlink_to(path),
    "chmod": lambda path: path.chmod(0o600),
    "utime": lambda path: os.utime(path, (0, 0)),
    "attribute": lambda path: os.setxattr(path, "user.mark", b"1"),
    "new file": lambda path: path.with_name("new").open("x").close(),
    "unnamed file": lambda path: os.close(os.open(path.parent, os.O_TMPFILE | os.O_RDWR)),
    "new directory": lambda path: path.with_name("new").mkdir(),
    "new pipe": lambda path: os.mkfifo(path.with_name("new")),
}


def state(folder):
    """All that can be seen of a directory's entries."""
    files = sorted(folder.iterdir())
    return [(file.name, file.lstat().st_mode, file.lstat().st_mtime_ns) for file in files]


@pytest.mark.parametrize("way", CHANGES)
def test_nothing_can_be_changed_even_where_reading_is_allowed(confined, secret, way):
    policy = Policy((str(secret.parent),), (), memory=256 * MEBIBYTE, cpu_seconds=5)
    before = state(secret.parent)
    assert confined(lambda: CHANGES[way](secret), policy).error == "PermissionError"
    assert state(secret.parent) == before
    assert secret.read_text() == "the answer is 42"
    assert confined.free(lambda: CHANGES[way](secret)).number in (None, errno.ENOTSUP)


def test_a_descriptor_open_for_writing_writes_nothing_to_a_file(confined, secret):
    with secret.open("r+b", buffering=0) as file:
        outcome = confined(lambda: os.pwrite(file.fileno(), b"x" * 100, 16))
    assert outcome.number == errno.EFBIG
    assert secret.read_text() == "the answer is 42"


def test_output_can_be_discarded(confined):
    assert confined(lambda: Path(os.devnull).write_text("gone")).value == 4


def test_descriptors_that_are_not_kept_are_closed(secret):
    from course_lib.grading.wall import confine

    with secret.open() as file:
        kept, other = os.pipe()
        child = os.fork()
        if child == 0:
            status = 1
            try:
                confine(Policy((), (), 256 * MEBIBYTE, 5.0), keep=(other,))
                for descriptor in (file.fileno(), kept):
                    with pytest.raises(OSError, match="Bad file descriptor"):
                        os.fstat(descriptor)
                os.fstat(other)
                status = 0
            finally:
                os._exit(status)
        assert os.waitpid(child, 0)[1] == 0
        os.close(kept)
        os.close(other)


# ---------------------------------------------------------------- network


def test_no_socket_of_any_kind(confined):
    kinds = {
        "TCP": (socket.AF_INET, socket.SOCK_STREAM),
        "TCP 6": (socket.AF_INET6, socket.SOCK_STREAM),
        "UDP": (socket.AF_INET, socket.SOCK_DGRAM),
        "Unix": (socket.AF_UNIX, socket.SOCK_STREAM),
        "netlink": (socket.AF_NETLINK, socket.SOCK_RAW),
    }
    for name, kind in kinds.items():
        assert confined(lambda kind=kind: socket.socket(*kind).fileno()).number == errno.EPERM, name
    assert confined.free(lambda: socket.socket(*kinds["UDP"]).fileno()).value > 0


def test_inherited_socket_cannot_be_pointed_elsewhere(confined, tmp_path):
    address = f"\0wall-test-{PARENT}"
    with (
        socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as mailbox,
        socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as pen,
    ):
        mailbox.bind(address)
        mailbox.setblocking(False)
        assert confined(lambda: pen.sendto(b"hello", address)).refused
        assert confined(lambda: pen.connect(address)).refused
        assert confined(lambda: pen.sendmsg([b"hello"], [], 0, address)).refused
        with pytest.raises(BlockingIOError):
            mailbox.recv(10)
        pen.sendto(b"hello", address)
        assert mailbox.recv(10) == b"hello"


def test_pairs_of_sockets_that_can_be_addressed_are_refused(confined):
    kinds = (socket.SOCK_DGRAM, socket.SOCK_SEQPACKET)
    for kind in kinds:
        assert confined(lambda kind=kind: len(socket.socketpair(type=kind))).refused


def test_no_descriptor_can_be_sent_out(confined):
    ours, theirs = socket.socketpair()
    with ours, theirs:
        assert confined(lambda: socket.send_fds(theirs, [b"x"], [0])).number == errno.EPERM


# ---------------------------------------------------------------- processes


@pytest.mark.skipif(not X86, reason="the generic table has neither fork nor vfork")
def test_no_process_by_raw_fork_or_vfork(confined):
    assert confined(lambda: raw(NUMBERS["fork"])).value == -errno.EPERM
    assert confined(lambda: raw(NUMBERS["vfork"])).value == -errno.EPERM


def test_no_process_by_the_library(confined):
    assert confined.free(lambda: subprocess.call(["true"])).value == 0
    assert confined(lambda: subprocess.call(["true"])).number == errno.EPERM
    assert confined(os.fork).number == errno.EPERM
    assert confined(lambda: os.posix_spawn("/bin/true", ["true"], {})).number == errno.EPERM
    assert confined(lambda: os.execv("/bin/true", ["true"])).number == errno.EPERM
    assert confined.free(lambda: os.system("exit 7")).value == 7 << 8
    assert confined(lambda: os.system("exit 7")).value != 7 << 8


def test_no_process_by_clone_and_clone3(confined):
    chld = ctypes.c_long(signal.SIGCHLD)
    assert confined(lambda: raw(NUMBERS["clone"], chld, 0, 0, 0, 0)).value == -errno.EPERM
    arguments = struct.pack("=11Q", 0, 0, 0, 0, signal.SIGCHLD, 0, 0, 0, 0, 0, 0)
    size = ctypes.c_size_t(len(arguments))
    assert confined(lambda: raw(435, arguments, size)).value == -errno.ENOSYS


def test_threads_are_refused_plainly(confined):
    def start():
        thread = threading.Thread(target=lambda: None)
        thread.start()
        thread.join()

    assert confined.free(start).error == ""
    outcome = confined(start)
    assert (outcome.error, "thread" in outcome.message) == ("RuntimeError", True)


def test_no_signal_reaches_another_process(confined):
    for target in (PARENT, -1, 0, -PARENT, 1):
        assert confined(lambda target=target: os.kill(target, 0)).number == errno.EPERM


def test_signals_cannot_be_sent_by_way_of_a_descriptor(confined):
    from fcntl import F_SETOWN, fcntl

    def own():
        reader, _ = os.pipe()
        return fcntl(reader, F_SETOWN, PARENT)

    assert confined.free(own).value == 0
    assert confined(own).number == errno.EPERM


def test_signals_to_oneself_work(confined):
    assert confined(os.abort).signal == signal.SIGABRT
    assert confined(lambda: signal.raise_signal(signal.SIGTERM)).signal == signal.SIGTERM
    assert confined(lambda: os.kill(os.getpid(), signal.SIGKILL)).signal == signal.SIGKILL
    assert confined(lambda: ctypes.string_at(0)).signal == signal.SIGSEGV


def test_no_core_and_no_inspection(confined):
    assert confined(lambda: libc().prctl(3)).value == 0  # PR_GET_DUMPABLE
    assert confined(lambda: resource.getrlimit(resource.RLIMIT_CORE)).value == [0, 0]


def test_id_cannot_be_taken_back(confined):
    assert confined(lambda: os.setuid(0)).number == errno.EPERM
    assert confined(lambda: os.setresuid(0, 0, 0)).number == errno.EPERM


def test_no_id_no_group_and_no_capability_is_left(confined):
    def status(child):
        lines = Path(f"/proc/{child}/status").read_text().splitlines()
        return {name: value.split() for name, _, value in (line.partition(":") for line in lines)}

    found = confined.watch(status)
    assert found["Uid"] == [str(confined.uid)] * 4
    for kind in ("CapInh", "CapPrm", "CapEff", "CapAmb"):
        assert int(found[kind][0], 16) == 0, kind
    assert (found["NoNewPrivs"], found["Seccomp"]) == (["1"], ["2"])
    if os.geteuid() == 0:
        assert int(found["CapBnd"][0], 16) == 0
    if os.geteuid() == 0 and confined.uid:
        assert (found["Gid"], found["Groups"]) == ([str(confined.uid)] * 4, [])


# ---------------------------------------------------------------- limits


def test_a_lot_of_memory_is_a_memory_error(confined):
    policy = Policy((), (), memory=64 * MEBIBYTE, cpu_seconds=5)
    assert confined(lambda: len(bytearray(32 * MEBIBYTE)), policy).value == 32 * MEBIBYTE
    # Much, since a process that has run for long has freed memory to give away.
    assert confined(lambda: len(bytearray(8192 * MEBIBYTE)), policy).error == "MemoryError"
    assert confined(lambda: len(mmap.mmap(-1, 2**36)), policy).error in ("OSError", "MemoryError")


def test_an_endless_loop_ends(confined):
    if confined.identity == "root-stays":
        pytest.skip("takes two seconds, and once more teaches nothing")

    def spin():
        signal.signal(signal.SIGXCPU, signal.SIG_IGN)  # nor can it be put off for long
        while True:
            pass

    policy = Policy((), (), memory=64 * MEBIBYTE, cpu_seconds=0.1)
    start = time.monotonic()
    assert confined(spin, policy).signal == signal.SIGKILL
    assert time.monotonic() - start < 20


def test_limits_cannot_be_raised(confined):
    kinds = ("AS", "CPU", "FSIZE", "NOFILE", "NPROC", "CORE", "MEMLOCK")
    for kind in (getattr(resource, f"RLIMIT_{name}") for name in kinds):

        def lift(kind=kind):
            resource.setrlimit(kind, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))

        assert confined(lift).error in ("ValueError", "PermissionError")


def test_limits_of_the_parent_cannot_be_touched(confined):
    def lower():
        resource.prlimit(PARENT, resource.RLIMIT_NOFILE, (3, 3))

    assert confined(lower).error == "PermissionError"
    assert confined(lambda: resource.prlimit(0, resource.RLIMIT_NOFILE)).value == [64, 64]


def test_descriptors_run_out(confined):
    def open_many():
        for _ in range(200):
            os.dup(2)

    assert confined(open_many).number == errno.EMFILE
    assert confined.free(open_many).error == ""


def test_stricter_limits_of_the_starter_are_kept(confined):
    policy = Policy((), (), memory=64 * MEBIBYTE, cpu_seconds=5, open_files=2**40)
    assert confined(lambda: resource.getrlimit(resource.RLIMIT_NOFILE)[1], policy).value < 2**40


# ---------------------------------------------------------------- undoing the wall


def test_options_that_loosen_the_wall_are_refused(confined):
    loosen = {
        "dumpable": (4, 1),
        "not dying with the parent": (1, 0),
        "being traced by all": (0x59616D61, -1),
        "another filter": (22, 2),
        "memory map": (35, 1),
        "subreaper": (36, 1),
        "keeping capabilities": (8, 1),
        "raising an ambient capability": (47, 2),
        "reading the time stamp counter": (26, 1),
    }

    def try_all():
        answers = {}
        for name, (option, argument) in loosen.items():
            words = [ctypes.c_ulong(word) for word in (argument, 0, 0, 0)]
            failed = libc().prctl(option, *words) < 0
            answers[name] = ctypes.get_errno() if failed else 0
        return answers

    assert confined(try_all).value == dict.fromkeys(loosen, errno.EPERM)


def test_every_other_system_call_is_refused(confined):
    def try_all():
        zeros = [ctypes.c_long(0)] * 6
        return {name: raw(number, *zeros) for name, number in NUMBERS.items()}

    assert confined(try_all).value == dict.fromkeys(NUMBERS, -errno.EPERM)


def test_calls_newer_than_the_wall_look_absent(confined):
    assert confined(lambda: raw(451)).value == -errno.ENOSYS
    assert confined(lambda: raw(100_000)).value == -errno.ENOSYS


@pytest.mark.skipif(not X86, reason="x32 is a second table of x86-64's calls")
def test_calls_by_the_x32_table_end_the_process(confined):
    assert confined(lambda: raw(0x4000_0000 + 39)).signal == signal.SIGSYS
    assert confined(lambda: raw(-1)).signal == signal.SIGSYS


@pytest.mark.skipif(not X86, reason="machine code of x86-64")
def test_calls_by_the_32_bit_gate_end_the_process(confined):
    def gate():
        # mov eax, 20 (getpid of the 32-bit table); int 0x80; ret
        code = bytes([0xB8, 20, 0, 0, 0, 0xCD, 0x80, 0xC3])
        page = mmap.mmap(-1, mmap.PAGESIZE, prot=7)
        page.write(code)
        address = ctypes.addressof(ctypes.c_char.from_buffer(page))
        return ctypes.CFUNCTYPE(ctypes.c_int)(address)()

    assert confined(gate).signal == signal.SIGSYS


def test_ioctls_on_terminals_and_devices_are_refused(confined):
    from fcntl import ioctl

    tiocsti, fiosetown, fioasync = 0x5412, 0x8901, 0x5452
    for request in (tiocsti, fiosetown, fioasync):
        assert confined(lambda request=request: ioctl(0, request, b"\0" * 8)).number == errno.EPERM


def test_two_threads_are_not_confined():
    """Only the calling thread could be, so `confine` says no."""
    program = (
        "import threading, time\n"
        "from course_lib.grading.wall import Policy, WallError, confine\n"
        "threading.Thread(target=time.sleep, args=(5,), daemon=True).start()\n"
        "try:\n    confine(Policy((), (), 2**28, 5.0))\n"
        "except WallError as error:\n    print(error)\n"
    )
    run = subprocess.run(
        [sys.executable, "-c", program],
        env={**os.environ, "PYTHONPATH": ":".join(sys.path), "OPENBLAS_NUM_THREADS": "1"},
        capture_output=True,
        text=True,
        check=True,
    )
    assert "has 2 threads" in run.stdout


@pytest.mark.parametrize(
    ("change", "named"),
    [
        ({"readable": ("data",)}, "readable"),
        ({"listable": "/usr"}, "listable"),
        ({"memory": 0}, "memory"),
        ({"cpu_seconds": -1.0}, "cpu_seconds"),
        ({"drop_to": 0}, "drop_to"),
    ],
)
def test_a_policy_that_makes_no_sense_is_refused(change, named):
    with pytest.raises(ValueError, match=named):
        replace(Policy((), (), 2**28, 5.0), **change)
