void run_in_objects(float *, const float *);
void run_first(float *, const float *);
void run_generated(float *, const float *);
void run_lambda(float *, const float *);
std::vector<float> numbers();
int main(int argc, char **) {
  if (argc < 2)
    return 0;
  for (auto run : {run_in_objects, run_first, run_generated, run_lambda})
    run(numbers().data(), nullptr);
}
