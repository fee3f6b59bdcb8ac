"""Attacks that would do harm: to files, to the machine, to the grader, to those who come after."""

# ruff: noqa: E501 - one attack a line reads best
from __future__ import annotations

import os

from tests.grading.attacks.attack import Attack, beside_honest, in_call
from tests.grading.attacks.stolen import TRY

FAMILY = "harm"
C = (
    TRY
    + """
import ctypes, os, socket, struct
libc = ctypes.CDLL(None, use_errno=True)
def call(number, *args):
    result = libc.syscall(ctypes.c_long(number), *[ctypes.c_long(a) if type(a) is int else a for a in args])
    if result < 0:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
    return f"WORKED {result}"
"""
)

WRITING = (
    ("write", "open(path, 'w').write('x')"),
    ("append", "open(path, 'a').write('x')"),
    ("truncate", "__import__('os').truncate(path, 0)"),
    ("read and truncate", "__import__('os').open(path, __import__('os').O_TRUNC)"),
    ("unlink", "__import__('os').unlink(path)"),
    ("rename", "__import__('os').rename(path, path + 'x')"),
    ("make beside", "open(path + '.new', 'x').write('x')"),
    ("chmod", "__import__('os').chmod(path, 0o777)"),
    ("chown", "__import__('os').chown(path, 0, 0)"),
    ("utime", "__import__('os').utime(path, (1, 1))"),
    ("setxattr", "__import__('os').setxattr(path, 'user.x', b'y')"),
    ("symlink", "__import__('os').symlink('/etc/passwd', path + '.link')"),
    ("hard link", "__import__('os').link(path, path + '.hard')"),
    ("mkdir", "__import__('os').mkdir(path + '.dir')"),
    ("mkfifo", "__import__('os').mkfifo(path + '.fifo')"),
    ("rmtree", "__import__('shutil').rmtree(path.rpartition('/')[0])"),
    ("np.save", "np.save(path, np.zeros(3))"),
    ("map", "np.memmap(path, np.uint8, 'r+').fill(0)"),
)  # fmt: skip

FILES = (
    *(
        beside_honest(
            FAMILY, name, f"changes files of the grader's: {name}",
            TRY + "for path in ('@home@', '@course@', '@gradebook@', '@classmate@', '/tmp/attack', 'attack.txt',\n"
            f"    '/dev/shm/attack', np.__file__):\n    attempt(path[-12:], lambda: {action})\nprint('end')",
            evidence=("refused: ",), leaks=(".txt None", ".db None", ".txt 1", ".db 1"),
        )
        for name, action in WRITING
    ),
    beside_honest(
        FAMILY, "gradebook by SQLite", "sets its own points in the gradebook",
        TRY + "import sqlite3\nattempt('gradebook', lambda: [c := sqlite3.connect('@gradebook@'), c.execute('update grade set points = 300'), c.commit()])",
        evidence=("gradebook refused",),
    ),
    beside_honest(
        FAMILY, "start-up files", "leaves files that Python or IPython would run next time",
        TRY + "import os\nhome = os.path.dirname('@home@')\nfor path in (home + '/.ipython/profile_default/startup/a.py', home + '/.pythonrc.py',\n"
        "    home + '/.local/lib/python3.11/site-packages/usercustomize.py', 'numpy.py', 'sitecustomize.py',\n"
        "    np.__path__[0] + '/../own.pth', np.__file__, __import__('os').__file__):\n"
        "    attempt(path[-20:], lambda: [os.makedirs(os.path.dirname(path) or '.', exist_ok=True), open(path, 'a').write('import os')])",
        evidence=("numpy.py refused", "sitecustomize.py refused"),
    ),
    beside_honest(
        FAMILY, "other folder", "leaves its folder for the cells that come after",
        TRY + "import os\nattempt('chdir', lambda: os.chdir('/'))\nattempt('chroot', lambda: os.chroot('/tmp'))\n"
        "attempt('umask', lambda: os.umask(0))\nattempt('rename', lambda: os.rename('.', '../gone'))",
        evidence=("chroot refused",),
    ),
    beside_honest(
        FAMILY, "full disk", "fills the disk, or memory by files without names",
        TRY + "import os, tempfile\nattempt('tmp', lambda: tempfile.TemporaryFile().write(b'x' * 10**6))\n"
        "attempt('memfd', lambda: os.write(os.memfd_create('x'), b'x' * 10**6))\n"
        "attempt('shm', lambda: open('/dev/shm/attack', 'wb').write(b'x' * 10**6))\n"
        "attempt('O_TMPFILE', lambda: os.open('/tmp', os.O_TMPFILE | os.O_RDWR))",
        evidence=("tmp refused", "memfd refused", "shm refused"),
    ),
)  # fmt: skip

NETWORK = beside_honest(
    FAMILY, "network", "talks to the world by every kind of socket",
    TRY + "import socket, urllib.request, asyncio\n"
    "def tried(family, kind, action, protocol=0):\n    s = socket.socket(family, kind, protocol)\n    return action(s)\n"
    "attempt('TCP', lambda: tried(2, 1, lambda s: s.connect(('127.0.0.1', 22))))\n"
    "attempt('listen', lambda: tried(2, 1, lambda s: s.bind(('0.0.0.0', 0)) or s.listen()))\n"
    "attempt('UDP', lambda: tried(2, 2, lambda s: s.sendto(b'x', ('8.8.8.8', 53))))\n"
    "attempt('DNS', lambda: socket.getaddrinfo('example.org', 80))\n"
    "attempt('HTTP', lambda: urllib.request.urlopen('http://127.0.0.1:80', timeout=1))\n"
    "attempt('unix', lambda: tried(1, 1, lambda s: s.connect('/run/docker.sock')))\n"
    "attempt('abstract', lambda: tried(1, 2, lambda s: s.bind('\\0attack')))\n"
    "attempt('netlink', lambda: tried(16, 3, lambda s: s.bind((0, 0))))\n"
    "attempt('packet', lambda: tried(17, 3, lambda s: 1))\n"
    "attempt('raw', lambda: tried(2, 3, lambda s: 1, 1))\n"
    "attempt('vsock', lambda: tried(40, 1, lambda s: s.connect((2, 1))))\n"
    "attempt('alg', lambda: tried(38, 5, lambda s: 1))\n"
    "attempt('bluetooth', lambda: tried(31, 3, lambda s: 1))\n"
    "attempt('datagrams', lambda: socket.socketpair(1, 2))",
    evidence=tuple(
        f"{kind} refused"
        for kind in ("TCP", "listen", "UDP", "DNS", "HTTP", "unix", "abstract", "netlink", "vsock", "alg", "datagrams")
    ),
)  # fmt: skip

PROCESSES = (
    beside_honest(
        FAMILY, "fork bomb", "forks until nothing else can run",
        TRY + "import os\nfor _ in range(50):\n    attempt('fork', os.fork)", evidence=("fork refused",),
        leaks=("fork 0",),
    ),
    beside_honest(
        FAMILY, "programs", "starts other programs",
        TRY + "import subprocess, os, pty, multiprocessing\n"
        "attempt('run', lambda: subprocess.run(['sleep', '60']))\n"
        "attempt('system', lambda: os.system('sleep 60 &') and 1 / 0)\n"
        "attempt('popen', lambda: os.popen('id').read())\n"
        "attempt('spawn', lambda: os.posix_spawn('/bin/sleep', ['sleep', '60'], {}))\n"
        "attempt('exec', lambda: os.execv('/bin/sleep', ['sleep', '60']))\n"
        "attempt('pty', lambda: pty.spawn('/bin/sh'))\n"
        "attempt('pool', lambda: multiprocessing.Pool(2))\n"
        "attempt('Process', lambda: multiprocessing.Process(target=print).start())",
        evidence=("run refused", "spawn refused", "exec refused", "Process refused"),
    ),
    beside_honest(
        FAMILY, "daemon", "leaves a process that ignores signals and has a session of its own",
        C + "import signal\nsignal.signal(signal.SIGTERM, signal.SIG_IGN)\n"
        "attempt('setsid', os.setsid)\nattempt('setpgid', lambda: os.setpgid(0, 0))\n"
        "for name, number, args in (('fork', 57, ()), ('vfork', 58, ()), ('clone', 56, (17, 0, 0, 0, 0)),\n"
        "        ('clone thread', 56, (0x10900, 0, 0, 0, 0)), ('clone3', 435, (bytes(88), 88))):\n"
        "    attempt(name, lambda: call(number, *args))",
        evidence=("setsid refused", "clone refused", "clone3 refused"), leaks=("WORKED",),
    ),
    beside_honest(
        FAMILY, "threads", "starts threads that go on after the cell",
        TRY + "import threading, _thread, concurrent.futures, asyncio\n"
        "def forever():\n    while True: pass\n"
        "attempt('thread', lambda: threading.Thread(target=forever, daemon=True).start())\n"
        "attempt('_thread', lambda: _thread.start_new_thread(forever, ()))\n"
        "attempt('pool', lambda: concurrent.futures.ThreadPoolExecutor(2).submit(forever).result(0))\n"
        "async def main():\n    return await asyncio.to_thread(forever)\n"
        "attempt('asyncio', lambda: asyncio.new_event_loop().run_until_complete(main()))",
        evidence=("thread refused", "_thread refused"),
    ),
    beside_honest(
        FAMILY, "program in memory", "runs a program from a file without a name",
        C + "attempt('memfd_create', lambda: call(319, b'x', 0))\n"
        "attempt('execveat', lambda: call(322, 0, b'', 0, 0, 0x1000))\n"
        "import mmap\nattempt('exec', lambda: os.execve('/proc/self/exe', ['python'], {}))",
        evidence=("memfd_create refused", "exec refused"), leaks=("WORKED",),
    ),
    beside_honest(
        FAMILY, "signals", "signals its parent, the judge and everybody",
        TRY + "import os, signal, fcntl\nfor name, pid in (('parent', os.getppid()), ('all', -1), ('group', 0), ('init', 1), ('own group', -os.getpgrp() or -1)):\n"
        "    for number in (0, 9, 19, 15):\n        attempt(name, lambda: os.kill(pid, number))\n"
        "attempt('killpg', lambda: os.killpg(os.getpgrp(), 9))\n"
        "attempt('pidfd', lambda: signal.pidfd_send_signal(os.pidfd_open(os.getppid()), 9))\n"
        "attempt('owner', lambda: fcntl.fcntl(0, fcntl.F_SETOWN, os.getppid()))\n"
        "attempt('sigqueue', lambda: __import__('ctypes').CDLL(None).sigqueue(os.getppid(), 9, 0) + 1 or 1 / 0)",
        evidence=("parent refused", "all refused", "group refused", "killpg refused", "owner refused"),
    ),
)  # fmt: skip

MEMORY = tuple(
    in_call(FAMILY, name, tries, code, earns, evidence)
    for name, tries, code, earns, evidence in (
        ("one huge array", "asks for 80 GB at once", "np.ones(10**10)", 6.0, ("MemoryError or took more or still computing",)),
        ("many arrays", "fills memory array by array", "a = []\nwhile True: a.append(np.ones(10**6))", 6.0, ("MemoryError or took more or still computing",)),
        ("many lists", "fills memory by lists", "a = []\nwhile True: a.append([0] * 10**6)", 6.0, ("MemoryError or took more or still computing",)),
        ("broadcast result", "returns a view of 74 GB", "return np.broadcast_to(1.0, (10**5, 10**5))", 6.0, ()),
        ("deep result", "returns lists within lists, 100,000 deep", "r = []\nfor _ in range(100_000): r = [r]\nreturn r", 6.0, ()),
        ("result within itself", "returns a list that holds itself", "r = []\nr.append(r)\nreturn r", 6.0, ()),
        ("long range", "returns a range of 10^18 numbers", "return range(10**18)", 6.0, ()),
        ("text of 10^10", "makes a text of 10^10 characters", "return 'a' * 10**10", 6.0, ("MemoryError or took more or still computing",)),
        ("huge shift", "makes a number of 10^11 bits", "return 1 << 10**11", 6.0, ()),
        ("10**10**9", "computes 10**10**9, which C code takes for ever over", "return 10**10**9", 6.0, ("still computing or memory or took more",)),
        ("number of a million digits", "returns a number too long to print", "return 10**1_000_000", 6.0, ()),
        ("array without elements", "returns an empty array with an axis of 10^15", "return np.zeros((10**15, 0))", 6.0, ()),
    )
)  # fmt: skip
TIME = tuple(
    in_call(FAMILY, name, tries, code, earns, evidence)
    for name, tries, code, earns, evidence in (
        ("endless loop", "loops for ever", "while True: pass", 6.0, ("still computing or took more",)),
        ("loop in C", "sums 10^12 numbers in C", "return sum(range(10**12))", 6.0, ("still computing or took more",)),
        ("regular expression", "matches by backtracking without end", "import re\nreturn re.match('(a+)+$', 'a' * 60 + 'b')", 6.0, ("still computing or took more",)),
        ("sleep", "sleeps", "import time\ntime.sleep(60)", 6.0, ("took more than",)),
        ("swallows everything", "catches whatever would stop it", "while True:\n    try:\n        while True: pass\n    except BaseException: pass", 6.0, ("still computing or took more",)),
        ("ignores signals", "ignores SIGTERM, SIGXCPU and SIGINT", "import signal\nfor n in (2, 15, 24, 14): signal.signal(n, signal.SIG_IGN)\nsignal.pthread_sigmask(0, range(1, 65))\nwhile True: pass", 6.0, ("still computing or took more",)),
        ("stops itself by SIGSTOP", "stops itself and waits", "import os, signal\nos.kill(os.getpid(), signal.SIGSTOP)", 6.0, ("took more than",)),
    )
)  # fmt: skip
CRASHES = tuple(
    in_call(FAMILY, name, tries, code, 6.0, evidence)
    for name, tries, code, evidence in (
        ("segfault", "reads address 0", "import ctypes\nctypes.string_at(0)", ("SIGSEGV",)),
        ("deep recursion", "recurses without a limit", "import sys\nsys.setrecursionlimit(10**9)\ndef f(n): return f(n + 1)\nf(0)", ("SIGSEGV or MemoryError or RecursionError or took more or still computing",)),
        ("recursion in C", "lets repr recurse in C", "import sys\nsys.setrecursionlimit(10**9)\nr = []\nfor _ in range(10**6): r = [r]\nrepr(r)", ("SIGSEGV or RecursionError or took more or still computing",)),
        ("kill oneself", "kills itself", "import os\nos.kill(os.getpid(), 9)", ("memory",)),
        ("closed descriptors", "closes all its descriptors", "import os\nos.closerange(0, 1000)", ("connection or ended Python",)),
        ("own SIGXCPU", "claims to have hit a limit", "import os, signal\nos.kill(os.getpid(), signal.SIGXCPU)", ("computing",)),
    )
)  # fmt: skip

OUTPUT = (
    beside_honest(FAMILY, "endless output", "prints without end", "while True: print('x' * 10**5)", evidence=("still computing or took more",)),
    beside_honest(FAMILY, "endless displays", "displays without end", "while True: display(1)", evidence=("still computing or took more",)),
    beside_honest(
        FAMILY, "many outputs", "makes 40,000 outputs by turns on two streams",
        "import sys\nfor _ in range(20_000):\n    print('o')\n    print('e', file=sys.stderr)",
    ),
    beside_honest(FAMILY, "one long line", "prints 100 MB in one piece", "print('x' * 10**8)", evidence=("left out",)),
    beside_honest(
        FAMILY, "large figure", "draws a figure of 10^8 pixels",
        "import matplotlib.pyplot as plt\nplt.figure(figsize=(100, 100), dpi=600)\nplt.plot([1])\nplt.show()",
    ),
    beside_honest(
        FAMILY, "traces for the next", "changes modules, so that the next submission's tests are changed",
        "import builtins, os, sys, random\nnp.allclose = np.array_equal = lambda *a, **k: False\nbuiltins.len = lambda o: 0\n"
        "os.environ['PYTHONPATH'] = '/tmp'\nsys.path.insert(0, '/tmp')\nsys.modules['math'] = None\nrandom.seed(0)\nnp.ones = None",
    ),
)  # fmt: skip

LIMITS = beside_honest(
    FAMILY, "limits", "raises its limits and changes its priority, clock and memory",
    C + "import resource, time, mmap\n"
    "for name in ('AS', 'CPU', 'FSIZE', 'NPROC', 'NOFILE', 'MEMLOCK', 'CORE'):\n"
    "    attempt('RLIMIT_' + name, lambda: resource.setrlimit(getattr(resource, 'RLIMIT_' + name), (2**40, 2**40)))\n"
    "attempt('nice', lambda: os.nice(-5))\nattempt('slower', lambda: os.nice(5))\n"
    "attempt('affinity', lambda: os.sched_setaffinity(0, {0}))\n"
    "attempt('priority', lambda: os.setpriority(0, 0, -5))\n"
    "attempt('scheduler', lambda: os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(1)))\n"
    "attempt('clock', lambda: time.clock_settime(0, 0))\n"
    "attempt('mlock', lambda: libc.mlockall(3) + 1 or 1 / 0)\n"
    "attempt('hugepages', lambda: mmap.mmap(-1, 2**30, flags=0x40022))\n"
    "attempt('other limits', lambda: resource.prlimit(os.getppid(), resource.RLIMIT_CPU, (1, 1)))\n"
    "attempt('hostname', lambda: libc.sethostname(b'x', 1) + 1 or 1 / 0)",
    evidence=(
        "RLIMIT_AS refused", "RLIMIT_CPU refused", "RLIMIT_NPROC refused", "nice refused",
        "affinity refused", "clock refused", "mlock refused", "other limits refused",
    ),
)  # fmt: skip

# System calls of x86-64 by number: some made directly, so that no library stands in between.
X86_CALLS = {
    "io_uring_setup": 425, "bpf": 321, "userfaultfd": 323, "keyctl": 250, "add_key": 248,
    "perf_event_open": 298, "personality": 135, "unshare": 272, "setns": 308, "mount": 165,
    "umount2": 166, "pivot_root": 155, "ptrace": 101, "pidfd_getfd": 438, "name_to_handle_at": 303,
    "open_by_handle_at": 304, "io_setup": 206, "signalfd": 282, "timer_create": 222,
    "inotify_init": 253, "fanotify_init": 300, "syslog": 103, "kexec_load": 246, "reboot": 169,
    "init_module": 175, "swapon": 167, "acct": 163, "quotactl": 179, "sendmsg": 46, "recvmsg": 47,
    "splice": 275, "vmsplice": 278, "sendfile": 40, "copy_file_range": 326, "kcmp": 312,
    "move_pages": 279, "mbind": 237, "modify_ldt": 154, "ioperm": 173, "setuid": 105,
    "capset": 126, "seccomp": 317, "landlock_restrict_self": 446, "memfd_secret": 447,
    "process_madvise": 440, "mount_setattr": 442, "fsopen": 430, "futex_waitv": 449,
    "map_shadow_stack": 453, "cachestat": 451, "pkey_alloc": 330, "shmget": 29, "mq_open": 240,
}  # fmt: skip
ON_X86 = os.uname().machine == "x86_64"
SYSTEM_CALLS = (
    beside_honest(
        FAMILY, "rare system calls", "makes system calls that have had holes",
        C + f"for name, number in {X86_CALLS}.items():\n    attempt(name, lambda: call(number, 0, 0, 0, 0, 0))\n"
        "attempt('dumpable', lambda: call(157, 4, 1))\nattempt('tracer', lambda: call(157, 0x59616d61, -1))\n"
        "attempt('tsc', lambda: call(157, 26, 2))\nattempt('subreaper', lambda: call(157, 36, 1))",
        evidence=tuple(f"{name} refused" for name in X86_CALLS), leaks=("WORKED",),
    ),
    in_call(
        FAMILY, "x32 system calls", "makes a call of x86-64's other table",
        "import ctypes\nctypes.CDLL(None).syscall(0x40000000 + 41, 2, 1, 0)", 6.0, ("SIGSYS",),
    ),
    in_call(
        FAMILY, "32-bit system calls", "makes a call by int 0x80, as 32-bit programs do",
        "import ctypes, mmap\nm = mmap.mmap(-1, 4096, prot=7)\n"
        "m.write(bytes.fromhex('b814000000cd80c3'))\n"
        "ctypes.CFUNCTYPE(ctypes.c_long)(ctypes.addressof(ctypes.c_char.from_buffer(m)))()",
        6.0, ("SIGSYS or SIGSEGV",),
    ),
) if ON_X86 else ()  # fmt: skip

HARM: tuple[Attack, ...] = (
    *FILES, NETWORK, *PROCESSES, *MEMORY, *TIME, *CRASHES, *OUTPUT, LIMITS, *SYSTEM_CALLS,
)  # fmt: skip
