"""Attacks that would read what is none of a student's business."""

# ruff: noqa: E501 - one attack a line reads best
from __future__ import annotations

from pathlib import Path

from tests.grading.attacks.attack import Attack, beside_honest

REPOSITORY = str(Path(__file__).parents[3])
FAMILY = "stolen secrets"
PATHS = '["@home@", "@course@", "@gradebook@", "@classmate@"]'
TRY = """
def attempt(name, action):
    try:
        print(name, action())
    except BaseException as error:
        print(name, "refused:", type(error).__name__, error)
"""
SEARCH = """
import gc, sys
NEEDLES = ["canary" + "-" + w for w in ("test-53f", "solution-77c", "input-8d1", "environment-e20")]
def look(text, where):
    for needle in NEEDLES:
        if needle in text:
            print("FOUND", where, needle)
def search():
    seen = set()
    todo = [f for f in sys._current_frames().values()]
    frame = sys._getframe()
    while frame:
        todo += [frame, frame.f_locals, frame.f_globals]
        frame = frame.f_back
    todo += gc.get_objects()
    for module in list(sys.modules.values()):
        todo.append(getattr(module, "__dict__", {}))
    count = 0
    while todo and count < 40_000:
        o = todo.pop()
        if id(o) in seen or o is NEEDLES:
            continue
        seen.add(id(o)); count += 1
        if type(o) is str and o not in NEEDLES: look(o, "str")
        elif type(o) in (bytes, bytearray): look(bytes(o).decode("latin1"), "bytes")
        elif type(o) is dict: todo += [v for v in list(o.values()) + list(o) if type(v) in (str, bytes, bytearray, dict, list, tuple)]
        elif type(o) in (list, tuple): todo += [v for v in o if type(v) in (str, bytes, bytearray, dict, list, tuple)]
    print("searched", count)
"""

FILES = tuple(
    beside_honest(
        FAMILY, name, f"reads files {how}",
        TRY + f"for path in {PATHS}:\n    attempt(path[-9:], lambda: {action})", evidence=("refused: ",),
    )
    for name, how, action in (
        ("open", "by open", "open(path).read()"),
        ("pathlib", "by pathlib", "__import__('pathlib').Path(path).read_bytes()"),
        ("os.open", "by their descriptor", "__import__('os').read(__import__('os').open(path, 0), 999)"),
        ("np.fromfile", "by NumPy", "np.fromfile(path, np.uint8).tobytes()"),
        ("np.memmap", "by mapping them", "bytes(np.memmap(path, np.uint8, 'r'))"),
        ("ctypes", "by the C library",
         "(lambda c: [setattr(c.fopen, 'restype', __import__('ctypes').c_void_p), c.fopen(path.encode(), b'r') or 1 / 0])(__import__('ctypes').CDLL(None))"),
        ("sqlite3", "by SQLite", "__import__('sqlite3').connect(f'file:{path}?mode=ro&immutable=1', uri=True).execute('select * from grade').fetchall()"),
        ("listing", "by listing their folders", "__import__('os').listdir(path.rpartition('/')[0])"),
        ("linecache", "by the cache of source lines", "__import__('linecache').getlines(path)[0]"),
        ("runpy", "by running them", "__import__('runpy').run_path(path)"),
        ("import", "by importing them", "__import__('importlib.util').util.spec_from_file_location('m', path).loader.get_data(path)"),
        ("zipimport and mmap", "by a mapping of the whole file", "__import__('mmap').mmap(__import__('os').open(path, 0), 0, access=1)[:]"),
    )
)  # fmt: skip

PROCESS = (
    beside_honest(
        FAMILY, "own environment", "reads the environment",
        TRY + "import os\nattempt('environ', lambda: dict(os.environ))\n"
        "attempt('variable', lambda: os.environ['GRADER_SECRET'])\n"
        "import ctypes\nattempt('C', lambda: ctypes.string_at(ctypes.c_char_p.in_dll(ctypes.CDLL(None), 'environ').value or b'', 99))",
        evidence=("refused: KeyError",),
    ),
    beside_honest(
        FAMILY, "/proc", "reads other processes' environment, memory and command line",
        TRY + "import os\nfor pid in ('self', 1, 2, os.getppid(), os.getpid() - 1):\n"
        "    for name in ('environ', 'mem', 'maps', 'cmdline', 'fd', 'root', 'cwd', 'task'):\n"
        "        path = f'/proc/{pid}/{name}'\n"
        "        attempt(path, lambda: os.listdir(path) if name in ('fd', 'root', 'cwd', 'task') else open(path, 'rb').read(2**20))",
        evidence=("refused: PermissionError",),
    ),
    beside_honest(
        FAMILY, "system files", "reads what tells of the machine and its users",
        TRY + "import os, glob\nfor path in ('/etc/passwd', '/etc/shadow', '/etc/hostname', '/etc/group',\n"
        "    '/sys/class/net', '/proc/net/tcp', '/proc/mounts', '/var/log', '/run', '/dev/shm', '/dev/kmsg', '/', '/tmp', '/home'):\n"
        "    attempt(path, lambda: os.listdir(path) if os.path.isdir(path) else open(path).read())",
        evidence=("refused: ",),
    ),
    beside_honest(
        FAMILY, "parent's memory", "reads the parent's memory by system calls",
        TRY + "import ctypes, os, struct\nlibc = ctypes.CDLL(None, use_errno=True)\n"
        "def call(number, *args):\n    if libc.syscall(number, *args) < 0:\n        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))\n"
        "    return 'done'\n"
        "buffer = ctypes.create_string_buffer(4096)\nlocal = struct.pack('QQ', ctypes.addressof(buffer), 4096)\n"
        "remote = struct.pack('QQ', 0x400000, 4096)\n"
        "attempt('process_vm_readv', lambda: libc.process_vm_readv(os.getppid(), local, 1, remote, 1, 0) + 1 or 1 / 0)\n"
        "for name, request in (('TRACEME', 0), ('ATTACH', 16), ('SEIZE', 0x4206)):\n"
        "    attempt(name, lambda: libc.ptrace(request, os.getppid(), 0, 0) + 1 or 1 / 0)\n"
        "attempt('pidfd_open', lambda: os.pidfd_open(os.getppid()))",
        evidence=("process_vm_readv refused", "ATTACH refused", "pidfd_open refused"),
    ),
    beside_honest(
        FAMILY, "inherited descriptors", "reads from every descriptor that is open",
        TRY + "import os, stat\nfor fd in range(1024):\n    try:\n        kind = os.fstat(fd).st_mode\n    except OSError:\n        continue\n"
        "    if not stat.S_ISSOCK(kind):\n        attempt(f'fd {fd} {oct(kind)}', lambda: os.pread(fd, 100, 0) if stat.S_ISREG(kind) else os.listdir(fd) if stat.S_ISDIR(kind) else b'')\n"
        "print('all tried')", evidence=("all tried",),
    ),
    beside_honest(
        FAMILY, "shared memory", "looks for shared memory and message queues",
        TRY + "import ctypes, os\nfrom multiprocessing import shared_memory\nlibc = ctypes.CDLL(None, use_errno=True)\n"
        "attempt('listing', lambda: os.listdir('/dev/shm'))\n"
        "attempt('making', lambda: shared_memory.SharedMemory('x', create=True, size=10))\n"
        "attempt('shmget', lambda: libc.shmget(0, 10, 0o1666) + 1 or 1 / 0)\n"
        "attempt('msgget', lambda: libc.msgget(1234, 0o1666) + 1 or 1 / 0)\n"
        "attempt('semget', lambda: libc.semget(1234, 1, 0o1666) + 1 or 1 / 0)\n"
        "attempt('mq_open', lambda: libc.mq_open(b'/q', 0o102, 0o666, None) + 1 or 1 / 0)",
        evidence=("making refused", "shmget refused", "msgget refused", "mq_open refused"),
    ),
    beside_honest(
        FAMILY, "own memory", "searches its memory for tests, solutions and the environment",
        SEARCH + "search()",
        double=SEARCH + "def double(x):\n    search()\n    return 2 * x",
        shift="def shift(values, key):\n    NEEDLES[2:3] = []\n    search()\n    return [value + key for value in values]",
        evidence=("searched",), leaks=("FOUND",),
    ),
    beside_honest(
        FAMILY, "shell's history", "looks for tests among what the shell has run",
        "print(list(In), list(Out), _ih, _oh)\nimport linecache\n"
        "print([''.join(v[2]) for k, v in linecache.cache.items() if 'cell' in k or 'test' in k])\n"
        "%history\n%recall 1-9", leaks=("HIDDEN TESTS",), evidence=("import math",),
    ),
    beside_honest(
        FAMILY, "modules", "imports the course, the judge and the solutions",
        TRY + "import sys, importlib\nprint([m for m in sys.modules if 'course_lib' in m or 'nbgrader' in m])\n"
        "for name in ('course_lib', 'course_lib.checks', 'course_lib.gpt', 'course_lib.grading.judge', 'nbgrader',\n"
        "    'course_lib.grading.contestant.answering', 'solutions', 'answers', 'torch', 'tests'):\n"
        "    attempt(name, lambda: importlib.import_module(name))", evidence=("course_lib.checks refused: ModuleNotFoundError",),
    ),
    beside_honest(
        FAMILY, "import hook taken out", "takes out what refuses imports, and imports the course from its folder",
        TRY + "import sys, os\nsys.meta_path[:] = [f for f in sys.meta_path if type(f).__name__ != 'OnlyAllowed']\n"
        "here = os.path.dirname(sys.modules['numpy'].__file__)\n"
        f"sys.path += ['@course@'.rpartition('/')[0], {REPOSITORY!r}]\n"
        "for name in ('course_lib.checks', 'course_lib.gpt', 'answers', 'nbgrader', 'torch'):\n"
        "    attempt(name, lambda: __import__(name))", evidence=("answers refused",),
    ),
    beside_honest(
        FAMILY, "inspect the caller", "asks for the source of whoever calls it",
        "", double="import inspect, traceback\ndef double(x):\n    for info in inspect.stack(50):\n"
        "        print(info.filename[-20:], info.function, info.code_context)\n"
        "    traceback.print_stack()\n    return 2 * x",
        evidence=("do_call",), leaks=("HIDDEN",),
    ),
    beside_honest(
        FAMILY, "ask the judge", "asks the judge for its names and sources in place of a reply",
        TRY + "import gc\nfor o in gc.get_objects():\n"
        "    if type(o).__name__ in ('ForkServer', 'Answering', 'Policy', 'Job', 'Template'):\n"
        "        print(type(o).__name__, {k: str(v)[:3000] for k, v in vars(o).items()})\n"
        "print('looked')", evidence=("looked",),
    ),
    beside_honest(
        FAMILY, "existence of files", "finds out by stat, readlink and chdir what there is",
        TRY + f"import os\nfor path in {PATHS}:\n    attempt('chdir', lambda: os.chdir(path.rpartition('/')[0]) or os.listdir('.'))\n"
        "    attempt('relative', lambda: open(path.rpartition('/')[2]).read())\n"
        "for pid in (1, os.getppid()):\n    for name in ('exe', 'cwd', 'root', 'fd/0', 'ns/net'):\n"
        "        attempt(name, lambda: os.readlink(f'/proc/{pid}/{name}') and open(f'/proc/{pid}/{name}'))",
        evidence=("refused",),
    ),
    beside_honest(
        FAMILY, "handles and older calls", "opens files by handle, by openat2, and through magic links",
        TRY + "import ctypes, os\nlibc = ctypes.CDLL(None, use_errno=True)\n"
        "def call(n, *a):\n    r = libc.syscall(n, *a)\n    if r < 0:\n        raise OSError(ctypes.get_errno(), 'no')\n    return r\n"
        "how = (ctypes.c_ulong * 3)(0, 0, 0)\n"
        "attempt('openat2', lambda: os.read(call(437, -100, b'@home@', how, 24), 99))\n"
        "attempt('creat', lambda: call(85, b'@home@', 0))\n"
        "attempt('handle', lambda: call(303, -100, b'@home@', bytes(200), bytes(8), 0))\n"
        "attempt('root', lambda: open('/proc/self/root@home@').read())\n"
        "attempt('thread', lambda: open('/proc/thread-self/root@home@').read())",
        evidence=("openat2 refused", "root refused"),
    ),
)  # fmt: skip

STOLEN: tuple[Attack, ...] = (*FILES, *PROCESS)
