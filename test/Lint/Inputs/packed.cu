#include <cuda.h>
CUresult make(CUtensorMap *map, void *tensor) {
  cuuint64_t sizes[] = {128, 64}, stride[] = {64};
  cuuint32_t box[] = {128, 8}, steps[] = {1, 1};
  return cuTensorMapEncodeTiled(map, CU_TENSOR_MAP_DATA_TYPE_16U4_ALIGN8B, 2, tensor, sizes, stride, box, steps,
                                CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_NONE,
                                CU_TENSOR_MAP_L2_PROMOTION_NONE, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
}
