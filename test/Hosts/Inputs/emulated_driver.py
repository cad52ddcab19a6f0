"""Stands for cuda.bindings.driver and does what it is asked for: by the emulator, in a process of its own."""
import ctypes
import subprocess

from fake_driver import CUresult, CUtensorMap, FakeDriver


class EmulatedDriver(FakeDriver):
    """Records as FakeDriver does. `command` starts served.cu."""

    def __init__(self, command, **options):
        super().__init__(**options)
        self.server = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def ask(self, *words):
        self.server.stdin.write(" ".join(map(str, words)) + "\n")
        self.server.stdin.flush()
        result, *given = self.server.stdout.readline().split()
        assert int(result) == CUresult.CUDA_SUCCESS, (words, result)
        return given

    def allocate(self, contents):
        [address] = self.ask("alloc", len(contents))
        self.ask("write", address, contents.hex())
        return int(address)

    def read(self, address, size):
        return bytes.fromhex(self.ask("read", address, size)[0])

    def launch(self, entry, grid, block, shared, arguments):
        self.ask("launch", entry, *grid, *block, shared, len(arguments), *(each.hex() for each in arguments))

    def close(self):
        self.server.stdin.close()
        assert self.server.wait() == 0

    @staticmethod
    def made(text):
        made = CUtensorMap()
        made.memory[:] = bytes.fromhex(text)
        return made

    def results(self, name, arguments):
        if name in ("cuTensorMapEncodeTiled", "cuTensorMapEncodeIm2col"):
            numbers = []
            for argument in arguments:
                numbers += argument if isinstance(argument, (list, tuple)) else [argument]
            [text] = self.ask("tiled" if name.endswith("Tiled") else "im2col", *map(int, numbers))
            return (self.made(text),)
        if name == "cuLaunchKernelEx":
            config, function, parameters, _ = arguments
            sizes = self.sizes[function]
            pointers = (ctypes.c_void_p * len(sizes)).from_address(parameters)
            self.launch(function, (config.gridDimX, config.gridDimY, config.gridDimZ),
                        (config.blockDimX, config.blockDimY, config.blockDimZ), config.sharedMemBytes,
                        [ctypes.string_at(pointer, size) for pointer, size in zip(pointers, sizes)])
            return ()
        return super().results(name, arguments)
