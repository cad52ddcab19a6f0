#include <cuda.h>
CUresult make(CUtensorMap *map, cuuint64_t stride, void *tensor = nullptr) {
  cuuint64_t sizes[] = {64, 64};
  cuuint32_t box[] = {16, 8}, steps[] = {1, 1};
  return cuTensorMapEncodeTiled(map, CU_TENSOR_MAP_DATA_TYPE_FLOAT32, 2, tensor, sizes, &stride, box, steps,
                                CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_NONE,
                                CU_TENSOR_MAP_L2_PROMOTION_NONE, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
}
CUresult use(CUtensorMap *map, cuuint64_t stride) { return make(map, stride); }
