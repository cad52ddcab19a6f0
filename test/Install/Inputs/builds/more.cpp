std::vector<float> numbers() { return std::vector<float>(64); }
