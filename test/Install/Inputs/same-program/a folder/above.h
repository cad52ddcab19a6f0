#pragma once
#define FROM_ABOVE 1
