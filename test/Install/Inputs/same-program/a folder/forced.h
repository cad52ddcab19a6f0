#pragma once
#define FROM_FORCED
