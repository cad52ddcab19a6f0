"""Stands for cuda.bindings.driver: records calls, in order, with arguments, and does nothing."""
import ctypes
import enum
import types


class CUresult(enum.IntEnum):
    CUDA_SUCCESS = 0
    CUDA_ERROR_INVALID_VALUE = 1
    CUDA_ERROR_NOT_SUPPORTED = 801


def enumeration(name, prefix, members):
    return enum.IntEnum(name, {prefix + member: number for member, number in members.items()})


def numbered(*names):
    return {name: number for number, name in enumerate(names)}


class cuuint64_t(int):
    pass


class cuuint32_t(int):
    pass


class CUtensorMap:
    """Its last bytes say which it is of those that the driver has made."""
    made = 0

    def __init__(self):
        self.memory = (ctypes.c_ubyte * 128)()

    def fill(self):
        CUtensorMap.made += 1
        self.memory[:] = [0xff] * 120 + [CUtensorMap.made] * 8
        return self

    def getPtr(self):
        return ctypes.addressof(self.memory)


class CUlaunchConfig:
    attrs, numAttrs = (), 0


class CUlaunchAttribute:
    def __init__(self):
        self.id = 0
        self.value = types.SimpleNamespace(clusterDim=types.SimpleNamespace(x=0, y=0, z=0), cooperative=0,
                                           accessPolicyWindow=types.SimpleNamespace())


class FakeDriver:
    CUresult, cuuint64_t, cuuint32_t = CUresult, cuuint64_t, cuuint32_t
    CUlaunchConfig, CUlaunchAttribute, CUtensorMap = CUlaunchConfig, CUlaunchAttribute, CUtensorMap
    CUtensorMapDataType = enumeration("CUtensorMapDataType", "CU_TENSOR_MAP_DATA_TYPE_", numbered(
        "UINT8", "UINT16", "UINT32", "INT32", "UINT64", "INT64", "FLOAT16", "FLOAT32", "FLOAT64", "BFLOAT16",
        "FLOAT32_FTZ", "TFLOAT32", "TFLOAT32_FTZ", "16U4_ALIGN8B", "16U4_ALIGN16B", "16U6_ALIGN16B"))
    CUtensorMapInterleave = enumeration("CUtensorMapInterleave", "CU_TENSOR_MAP_INTERLEAVE_",
                                        numbered("NONE", "16B", "32B"))
    CUtensorMapSwizzle = enumeration("CUtensorMapSwizzle", "CU_TENSOR_MAP_SWIZZLE_", numbered(
        "NONE", "32B", "64B", "128B", "128B_ATOM_32B", "128B_ATOM_32B_FLIP_8B", "128B_ATOM_64B"))
    CUtensorMapL2promotion = enumeration("CUtensorMapL2promotion", "CU_TENSOR_MAP_L2_PROMOTION_",
                                         numbered("NONE", "L2_64B", "L2_128B", "L2_256B"))
    CUtensorMapFloatOOBfill = enumeration("CUtensorMapFloatOOBfill", "CU_TENSOR_MAP_FLOAT_OOB_FILL_",
                                          numbered("NONE", "NAN_REQUEST_ZERO_FMA"))
    CUtensorMapIm2ColWideMode = enumeration("CUtensorMapIm2ColWideMode", "CU_TENSOR_MAP_IM2COL_WIDE_MODE_",
                                            numbered("W", "W128"))
    CUdevice_attribute = enumeration("CUdevice_attribute", "CU_DEVICE_ATTRIBUTE_", {
        "COMPUTE_CAPABILITY_MAJOR": 75, "COMPUTE_CAPABILITY_MINOR": 76, "MAX_SHARED_MEMORY_PER_BLOCK_OPTIN": 97,
        "MULTIPROCESSOR_COUNT": 16, "MAX_PERSISTING_L2_CACHE_SIZE": 108, "MAX_ACCESS_POLICY_WINDOW_SIZE": 109})
    CUfunction_attribute = enumeration("CUfunction_attribute", "CU_FUNC_ATTRIBUTE_", {
        "MAX_THREADS_PER_BLOCK": 0, "SHARED_SIZE_BYTES": 1, "PTX_VERSION": 5, "MAX_DYNAMIC_SHARED_SIZE_BYTES": 8})
    CUlaunchAttributeID = enumeration("CUlaunchAttributeID", "CU_LAUNCH_ATTRIBUTE_", {
        "ACCESS_POLICY_WINDOW": 1, "COOPERATIVE": 2, "CLUSTER_DIMENSION": 4, "PROGRAMMATIC_STREAM_SERIALIZATION": 6})
    CUpointer_attribute = enumeration("CUpointer_attribute", "CU_POINTER_ATTRIBUTE_", {"DEVICE_POINTER": 3})
    CUlimit = enumeration("CUlimit", "CU_LIMIT_", {"PERSISTING_L2_CACHE_SIZE": 6})
    CUaccessProperty = enumeration("CUaccessProperty", "CU_ACCESS_PROPERTY_", numbered(
        "NORMAL", "STREAMING", "PERSISTING"))

    def __init__(self, capability=90, sizes=None, device=0):
        self.device, self.capability, self.calls, self.fails = device, capability, [], {}
        self.ptx, self.static_shared, self.at_once, self.most_threads = capability, 1024, 8, 1024
        self.context, self.window, self.set_aside = 0x77, 1 << 27, 11796480
        self.sizes = sizes or {}  # bytes of each argument of each kernel
        self.has_memory = lambda address: True

    def __getattr__(self, name):
        if not name.startswith("cu"):
            raise AttributeError(name)

        def call(*arguments):
            self.calls.append(getattr(self, "_" + name)(*arguments) if hasattr(type(self), "_" + name) else name)
            failure = self.fails.get(name)
            if name == "cuPointerGetAttribute" and not self.has_memory(arguments[1]):
                failure = CUresult.CUDA_ERROR_INVALID_VALUE
            if failure:
                return (failure, None)
            return (CUresult.CUDA_SUCCESS, *self.results(name, arguments))

        return call

    def results(self, name, arguments):
        if name == "cuDeviceGetAttribute":
            assert arguments[1] == self.device, "there is no other device"
            return ({75: self.capability // 10, 76: self.capability % 10, 97: 232448, 16: 4, 108: 39321600,
                     109: self.window}[int(arguments[0])],)
        if name == "cuFuncGetAttribute":
            return ({0: self.most_threads, 1: self.static_shared, 5: self.ptx}[int(arguments[0])],)
        if name == "cuOccupancyMaxActiveBlocksPerMultiprocessor":
            return (self.at_once,)
        if name == "cuPointerGetAttribute":
            return (arguments[1],)
        if name.startswith("cuTensorMapEncode"):
            return (CUtensorMap().fill(),)
        if name == "cuCtxGetCurrent":
            return (self.context,)
        if name == "cuCtxGetLimit":
            return (self.set_aside,)
        if name == "cuCtxGetDevice":
            return (self.device,)
        if name == "cuKernelGetFunction":
            return (arguments[0].name,)
        if name == "cuLibraryLoadData":
            return ("library",)
        if name == "cuLibraryGetKernel":
            return (arguments[1].decode(),)
        if name == "cuLibraryGetGlobal":
            return (0x5000, 64)
        return ()

    def take(self, prefix=("cuTensorMap", "cuLaunch", "cuFuncSet")):
        """What was called since, of what is asked for."""
        calls, self.calls = self.calls, []
        return [call for call in calls if call.startswith(prefix)]

    # What is written down of a call; of others, its name.
    @staticmethod
    def _cuTensorMapEncodeTiled(kind, rank, address, extents, strides, box, steps, interleave, swizzle, promotion, fill):
        assert all(isinstance(n, cuuint64_t) for n in (*extents, *strides)), "64 bits"
        assert all(isinstance(n, cuuint32_t) for n in (*box, *steps)), "32 bits"
        return (f"cuTensorMapEncodeTiled {kind.name[24:]} rank {rank} at {address:#x} extents {[*map(int, extents)]} "
                f"strides {[*map(int, strides)]} box {[*map(int, box)]} steps {[*map(int, steps)]} "
                f"swizzle {int(swizzle)} promotion {int(promotion)} fill {int(fill)}")

    @staticmethod
    def _cuTensorMapEncodeIm2col(kind, rank, address, extents, strides, lower, upper, channels, pixels, steps,
                                 interleave, swizzle, promotion, fill):
        return (f"cuTensorMapEncodeIm2col {kind.name[24:]} rank {rank} at {address:#x} extents {[*map(int, extents)]} "
                f"strides {[*map(int, strides)]} lower {lower} upper {upper} channels {channels} pixels {pixels} "
                f"steps {[*map(int, steps)]} swizzle {int(swizzle)} promotion {int(promotion)} fill {int(fill)}")

    @staticmethod
    def _cuTensorMapEncodeIm2colWide(kind, rank, address, extents, strides, lower, upper, channels, pixels, steps,
                                     interleave, mode, swizzle, promotion, fill):
        return (f"cuTensorMapEncodeIm2colWide {kind.name[24:]} rank {rank} at {address:#x} extents {[*map(int, extents)]} "
                f"strides {[*map(int, strides)]} lower {lower} upper {upper} channels {channels} pixels {pixels} "
                f"mode {mode.name[31:]} swizzle {int(swizzle)} promotion {int(promotion)} fill {int(fill)} "
                f"steps {[*map(int, steps)]}")

    def _cuCtxSetLimit(self, limit, value):
        self.set_aside = value
        return f"cuCtxSetLimit {limit.name[9:]} {value}"

    @staticmethod
    def _cuFuncSetAttribute(function, attribute, value):
        return f"cuFuncSetAttribute {function} {attribute.name[18:]} {value}"

    def _cuLaunchKernelEx(self, config, function, parameters, extra):
        sizes = self.sizes.get(function, ())
        pointers = (ctypes.c_void_p * max(len(sizes), 1)).from_address(parameters)
        passed = [ctypes.string_at(pointer, size) for pointer, size in zip(pointers, sizes)]
        shown = ["map %d" % bytes_[-1] if len(bytes_) == 128 else bytes_[::-1].hex().lstrip("0") or "0"
                 for bytes_ in passed]
        attributes = "".join(self._attribute(a) for a in config.attrs)
        return (f"cuLaunchKernelEx {function} grid {config.gridDimX},{config.gridDimY},{config.gridDimZ} block "
                f"{config.blockDimX},{config.blockDimY},{config.blockDimZ} shared {config.sharedMemBytes} stream "
                f"{config.hStream}{attributes} ({', '.join(shown)})")

    @staticmethod
    def _attribute(attribute):
        name, value = attribute.id.name[20:], attribute.value
        if name == "CLUSTER_DIMENSION":
            return f" {name} {value.clusterDim.x}x{value.clusterDim.y}x{value.clusterDim.z}"
        if name == "ACCESS_POLICY_WINDOW":
            window = value.accessPolicyWindow
            return (f" {name} at {window.base_ptr:#x} bytes {window.num_bytes} share {window.hitRatio} "
                    f"{window.hitProp.name[19:]}, else {window.missProp.name[19:]}")
        return f" {name}"
