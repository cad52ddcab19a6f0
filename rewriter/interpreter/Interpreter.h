//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs a piece of a kernel for one thread.
//
// Thread index, block size, loop counters and template constants are numbers;
// what is the same for the whole block and unknown is a symbol. Control flow
// that depends on symbols is followed under a mask, the condition under which
// this thread is here: both sides of an `if` are run, and every store happens
// under the mask. So a guard needs no special form: `if`/`else`, `?:`, an early
// `continue` and a clamped loop bound all leave their conditions in the mask.
//
// It only knows statements and expressions. What a tile is, whether the threads
// together copy one, and what TMA can do about it is decided elsewhere.
//===----------------------------------------------------------------------===//

#ifndef TILELIFT_INTERPRETER_INTERPRETER_H
#define TILELIFT_INTERPRETER_INTERPRETER_H

#include "effects/Uniformity.h"
#include "interpreter/Block.h"

#include "support/NamesAround.h"

#include "clang/AST/ASTContext.h"
#include "clang/AST/ExprCXX.h"

#include <deque>

namespace tilelift {

struct AsmInstruction;

/// A guard that the source lacks: a statement of the copy, and when it would be run.
struct MissingGuard {
  const clang::Stmt *statement = nullptr;
  const clang::Expr *condition = nullptr;
};

/// A kernel, and the way to a copy that it makes.
struct KernelUnderTest {
  clang::ASTContext &context;
  CallPath path;
  const VariableFacts &facts;
  const KernelEffects &effects;
  const Uniformity &uniformity;
  BlockShape shape;
  /// What the copy is said to do.
  CopyKind kind = CopyKind::Load;
  /// The copy stands in a lambda that is called several times, and all calls share its text. An
  /// argument that is the same number in all threads of one call may be another number in the next
  /// call, so it is a symbol, and not that number.
  bool servesSeveralCalls = false;
  /// What is known of those arguments in all calls.
  llvm::DenseMap<const clang::ParmVarDecl *, Multiples> argumentNumbers =
      llvm::DenseMap<const clang::ParmVarDecl *, Multiples>();
  /// A variable that is the same in all threads, but has no single formula, becomes a symbol (a
  /// pointer: a base of its own) instead of a value with one case for each branch; so does the
  /// smaller or larger of two numbers of which one is looked up.
  bool namesChoices = false;
  /// Cases that differ by what is looked up become one (relation/RowChoices.h).
  bool mergesCases = false;
  /// Statements in whose place threads left the kernel where these hold: no thread does.
  const llvm::DenseSet<const clang::Stmt *> *exits = nullptr;
  /// Launchers are written in C++, which can read an argument's private members by their places.
  bool readsPrivateMembers = false;
  /// Arguments that launches give as constants, as far as sizes depend on them; the
  /// launcher tests that they have these values.
  std::map<std::string, int64_t> givenArguments = {};
  /// A guard that the source lacks; the copy is analysed as if it stood there, to find out whether
  /// it would lift with that guard.
  MissingGuard guard = {};
  /// What names mean at the copy, if text is to be written there.
  const NamesAround *names = nullptr;
};

/// What a thread does to shared memory at some place of the program.
struct SharedAccess {
  Place place;
  unsigned object = 0;
  int64_t offset = 0;
  unsigned bytes = 0;
  bool isStore = false;
};

/// A loop of the program, whichever statement makes it.
struct LoopParts {
  const clang::Stmt *statement = nullptr;
  /// Null where it goes on until something leaves it.
  const clang::Expr *condition = nullptr;
  const clang::Expr *step = nullptr;
  const clang::Stmt *body = nullptr;
  bool testsFirst = true;
};

/// What is known of a loop while its rounds are run.
struct LoopProgress {
  unsigned stepsBefore = 0;
  /// The number of rounds so far whose condition is not known to hold.
  unsigned openRounds = 0;
  /// The condition of the first round that `openRounds` counts.
  Condition firstOpen;
  /// The values of the variables that the loop changes have been forgotten.
  bool isForgotten = false;
};

/// The most characters that the spelling of a formula may have. Without a limit, a formula that a
/// loop inserts into itself twice would double in each round.
constexpr size_t longestFormula = 1u << 12;

class Interpreter {
public:
  Interpreter(const KernelUnderTest &kernel, Block &block, unsigned thread);

  /// Runs from the kernel's entry to just before `target`. Statements are skipped if they change
  /// nothing in `relevant` and no thread can leave the way by them. Loops around the target are
  /// entered at an arbitrary iteration.
  void reach(const clang::Stmt *target, const llvm::DenseSet<const clang::VarDecl *> &relevant);

  /// Runs the annotated statement. For each cell of shared memory, records what a load stores there
  /// or, for stores and reductions, where in global memory the cell goes.
  void runCopy(const clang::Stmt *statement);

  /// Returns the condition under which this thread reaches the target.
  const Condition &getReached() const { return reached; }
  /// Says how the thread's way to a copy differs from that of thread 0, which gets there where
  /// `first` holds.
  Diagnostic describeWay(const Condition &first, Place copy) const;
  /// Where the way to the target ended, of a thread that does not get there.
  const clang::Stmt *endOfWay() const { return onTheWay; }
  /// Whether this thread may miss the target for a reason that getReached() does not express.
  bool mayMissTarget() const { return mayMiss; }

  /// Runs all of the kernel but some statements, of loops a few rounds, and says what is done
  /// to shared memory where indices are followed. What is not known does not stop it.
  std::vector<SharedAccess> watch(llvm::ArrayRef<const clang::Stmt *> without);

  /// The whole numbers and global pointers that are in scope here.
  NamesInScope namesInScope();

private:
  // Statements.
  void run(const clang::Stmt *statement);
  bool hasStepsFor(const clang::Stmt *statement);
  void runUnknown(const clang::Stmt *statement);
  void runDeclaration(const clang::DeclStmt *declaration);
  void declare(const clang::VarDecl *variable);
  void runCaptures(const clang::LambdaExpr *lambda);
  bool isWanted(const clang::VarDecl *variable) const;
  void leave(const clang::Stmt *statement);
  void runReturn(const clang::ReturnStmt *leave);
  std::string whyUnknown(const clang::Expr *condition, const Value &value) const;
  void runIf(const clang::IfStmt *branch);
  void runGuarded(const clang::Expr *expression);
  void runLoop(const LoopParts &loop);
  bool testRound(const LoopParts &loop, LoopProgress &progress);
  void refuseOpenRound(const LoopParts &loop, const LoopProgress &progress, const Condition &again);
  bool runRound(const LoopParts &loop);
  void sampleLoop(const LoopParts &loop);
  void sampleBranches(const clang::IfStmt *branch);
  void forgetSampled(const clang::Stmt *statement);
  void approach(const clang::Stmt *statement);
  void approachCallee(const clang::CallExpr *call);
  bool isTowards(const clang::Stmt *part) const;
  void approachIn(const clang::CompoundStmt *compound);
  void askToStay(const clang::Expr *exit);
  void approachBranch(const clang::IfStmt *branch);
  void approachBody(const clang::Stmt *loop, const clang::Expr *condition, const clang::Stmt *body);
  void approachCase(const clang::SwitchStmt *choice);
  void approachThrough(const clang::Stmt *statement);
  void forgetNumbers(const clang::FunctionDecl *lambda);
  void assume(const Condition &condition);
  bool leaves(const clang::Stmt *statement) const;
  bool maySendAway(const clang::Stmt *statement) const;
  void refuseIfSomeLeave(const clang::Stmt *statement);
  void refuseIfThreadsEnd(const clang::Stmt *passed);
  void forgetChanges(const clang::Stmt *statement, llvm::StringRef why);
  void addObject(const std::string &name, clang::QualType type, const Value &address,
                 NamesInScope &names);
  void addMembers(const std::string &prefix, const clang::CXXRecordDecl *record,
                  const clang::CXXRecordDecl *whole, const Value &address, bool isOwn,
                  NamesInScope &names);
  void addName(const std::string &name, clang::QualType type, const Value &value,
               NamesInScope &names);
  void failAtChosenPlace(unsigned object, const Condition &guard, Place place);
  void failAtLookup(const Source &pointer, Place place);
  bool isAtOnePlace(const Value &address, Place place);
  void addNumber(const std::string &name, clang::QualType type, const Value &value,
                 NamesInScope &names);
  void addPointer(const std::string &name, clang::QualType type, const Value &value,
                  NamesInScope &names);
  bool matters(const clang::Stmt *statement) const;
  Condition conditionOf(const clang::Expr *expression, Value *evaluated = nullptr);
  void failDivergent(const clang::Expr *condition, const Place &place);
  Condition headOf(const clang::Stmt *loop, const clang::Expr *condition);
  void maskBy(const Condition &condition, const clang::Expr *asked, const Value &value);

  // Choices that all threads make alike.
  void nameChoices(const clang::Stmt *done);
  bool isSettled(const clang::VarDecl *variable, const clang::Stmt *done) const;
  bool isFormula(const Value &value) const;
  void nameNumber(const clang::VarDecl *variable, const Value &value, const clang::Stmt *done);
  void namePointer(const clang::VarDecl *variable, const Value &value);
  Value named(Value value, const Value &address, clang::QualType type, Place place);
  Value nameExtreme(Value value, clang::QualType type, Place place);

  // Loops around the target.
  /// What a loop changes, and by how much each round moves it, if by the same.
  struct Moving {
    const clang::VarDecl *variable = nullptr;
    llvm::SmallVector<Change, 2> changes;
    Value start;
    std::optional<Scalar> step;
    bool isUniform = false;
    bool isCounter = false;

    /// Whether it is a number to which each round adds the same constant, which is not zero, for
    /// all threads.
    bool hasConstantStep() const {
      return isUniform && step && step->number.asConstant().value_or(0) != 0;
    }
  };
  /// A variable that the loop's body changes, neither by a fixed step nor alike in all threads,
  /// with its value before the loop.
  struct Carried {
    const clang::VarDecl *variable = nullptr;
    LocalObject before;
  };
  struct Counter {
    Polynomial now, start;
    int64_t step;
  };
  void enterLoop(const clang::Stmt *loop, const clang::Expr *condition);
  std::optional<Scalar> stepOf(llvm::ArrayRef<Change> changes, const clang::Stmt *loop,
                               llvm::ArrayRef<const clang::VarDecl *> changed);
  std::vector<Moving> changedByRounds(const clang::Stmt *loop);
  bool isCounter(const Moving &moving, const clang::Stmt *loop) const;
  bool keepsItsValue(const Polynomial &value, const clang::Stmt *loop) const;
  bool staysInOrder(const Moving &counting, const Counter &counter, const clang::Stmt *loop,
                    const clang::Expr *condition, const Condition &enters);
  Counter count(const Moving &moving, const clang::Stmt *loop);
  bool isRestored(const Moving &moving, const clang::Stmt *loop,
                  llvm::ArrayRef<const clang::VarDecl *> changed);
  Value advanced(const Moving &moving, const Counter &counter);
  Symbol symbolOf(const clang::VarDecl *variable, const clang::Stmt *moment) const;
  Symbol symbolOf(const Moving &moving, const clang::Stmt *loop) const;
  bool narrow(llvm::ArrayRef<Moving> all, const std::optional<Counter> &counter,
              const clang::Stmt *loop, const clang::Expr *condition, const Condition &enters);
  Polynomial setToSymbol(const clang::VarDecl *variable, const Symbol &symbol);
  void boundCounter(const Bound &bound);
  std::vector<Carried> carriedBy(const clang::Stmt *loop, llvm::ArrayRef<Moving> changed);
  std::optional<Interpreter> afterRoundBefore(const clang::Stmt *body,
                                              llvm::ArrayRef<Moving> changed, Counter counter);
  void carryLoads(const clang::Stmt *body, llvm::ArrayRef<Carried> carried,
                  llvm::ArrayRef<Moving> changed, const Counter &counter, const Condition &enters);
  bool startsWith(llvm::ArrayRef<ValueCase> cases, const Value &first, const Counter &counter);

  // Expressions.
  class Evaluator;
  Value evaluate(const clang::Expr *expression);
  /// The same, without looking for a result from before.
  Value compute(const clang::Expr *expression);
  Value evaluatePure(const clang::Expr *expression, KnownExpression &known);
  KnownExpression &knownOf(const clang::Expr *expression);
  std::unique_ptr<KnownExpression> describe(const clang::Expr *expression);
  std::optional<VariableRead> readOf(const clang::Expr *lvalue) const;
  const Value *heldNow(const VariableRead &read) const;
  Value evaluateCast(const clang::CastExpr *cast);
  Scalar convertedInteger(const Scalar &scalar, clang::QualType from, clang::QualType to,
                          Place place);
  Scalar convertedToFloating(const Scalar &scalar, const clang::CastExpr *cast) const;
  Value evaluateUnary(const clang::UnaryOperator *unary);
  Value evaluateBinary(const clang::BinaryOperator *binary);
  Value evaluateAssignment(const clang::BinaryOperator *binary);
  Value updated(clang::BinaryOperatorKind op, const Value &before, const Value &amount,
                clang::QualType type, clang::QualType computed, const clang::Expr *where);
  clang::QualType computedType(const clang::Expr *operand) const;
  Value objectAt(const clang::Expr *object);
  Value evaluateLogical(const clang::BinaryOperator *binary);
  static Scalar truthOf(Condition condition, llvm::ArrayRef<const Value *> operands);
  Value evaluateConditional(const clang::AbstractConditionalOperator *conditional);
  Value evaluateBuiltinIndex(llvm::StringRef variable, llvm::StringRef member);
  Value evaluateInitList(const clang::InitListExpr *list);
  void initialisePart(const Value &object, const clang::Expr *init, int64_t offset);
  void initialiseParts(const Value &object, const clang::RecordDecl *record,
                       const clang::InitListExpr *list);
  Value evaluateConstruct(const clang::CXXConstructExpr *construct);
  Value evaluateInherited(const clang::CXXInheritedCtorInitExpr *construct);
  std::optional<Value> evaluateConstant(const clang::Expr *expression);
  Value addressOf(const clang::Expr *lvalue);
  Value addressOfCast(const clang::CastExpr *cast);
  Value notFollowed(const clang::Expr *expression);
  void noteDestructor(clang::QualType type, Place place);
  Value baseClassOf(const clang::CastExpr *cast, const Value &object);
  int64_t offsetOfBase(const clang::CXXRecordDecl *derived, const clang::Type *base) const;
  Value movedBy(const Value &object, int64_t bytes) const;
  Scalar distance(const Scalar &to, const Scalar &from, clang::QualType pointee,
                  const clang::Expr *where) const;
  clang::QualType pointerTo(const clang::FieldDecl *field) const;
  Value addressOfField(const Value &object, const clang::FieldDecl *field) const;
  Value addressOfVariable(const clang::VarDecl *variable, const clang::Expr *reference);

  // Calls.
  Value call(const clang::CallExpr *call);
  Value callKnown(const clang::FunctionDecl *callee, const clang::CallExpr *call, bool &known);
  std::optional<Value> smallerOrLarger(llvm::StringRef name, const clang::CallExpr *call);
  std::optional<Value> magnitude(llvm::StringRef name, const clang::CallExpr *call);
  Value convertToHalf(llvm::StringRef name, const clang::CallExpr *call);
  Value runBody(const clang::FunctionDecl *callee, llvm::ArrayRef<const clang::Expr *> arguments,
                Value self, const clang::Expr *call);
  Value runEntered(const clang::Expr *call);
  void runInitialiser(const clang::CXXCtorInitializer *init, Place place);
  /// The function that is called, its arguments as expressions, which enter() evaluates in the
  /// frame of the caller, and the address of the object that it is called on.
  struct Callee {
    const clang::FunctionDecl *definition = nullptr;
    llvm::SmallVector<const clang::Expr *, 8> arguments;
    Value self;
  };
  bool copiesBytes(const clang::CXXMethodDecl *method) const;
  Callee calleeOf(const clang::CallExpr *call);
  struct UserCall {
    const clang::FunctionDecl *callee;
    Place place;
  };
  UserCall calledByUser(const clang::FunctionDecl *callee, const clang::CallExpr *call) const;
  void forgetPointed(const Value &address, const std::string &who, Place place);
  Value callUnknown(const clang::FunctionDecl *callee, const clang::CallExpr *call,
                    const Callee &called);
  void enter(const clang::FunctionDecl *callee, llvm::ArrayRef<const clang::Expr *> arguments,
             Value self);

  // Copies that the program leaves to the hardware.
  void runAssembly(const clang::GCCAsmStmt *assembly);
  bool runInstruction(const AsmInstruction &instruction, const clang::GCCAsmStmt *assembly,
                      std::map<llvm::StringRef, Condition> &predicates);
  std::optional<Value> asmInput(const clang::GCCAsmStmt *assembly, llvm::StringRef name);
  bool runAsyncCopy(const clang::FunctionDecl *callee, const clang::CallExpr *call);
  bool runPipelineCopy(const clang::CallExpr *call);
  void runMemcpy(const clang::CallExpr *call);
  bool runGroupCopy(const clang::CallExpr *call);
  void copyAsync(const Value &to, const Value &from, uint64_t bytes, unsigned each, Place place);
  void fillAsync(const Value &to, const Value &from, uint64_t bytes, const Value &used,
                 Place place);
  std::optional<uint64_t> sizeArgument(const clang::Expr *argument);

  // Operators on values.
  Value arithmetic(clang::BinaryOperatorKind op, const Value &a, const Value &b,
                   clang::QualType type, const clang::Expr *where);
  std::optional<Scalar> withoutNumbers(clang::BinaryOperatorKind op, const Scalar &a,
                                       const Scalar &b, clang::QualType type, Place place);
  Scalar arithmetic(clang::BinaryOperatorKind op, const Scalar &a, const Scalar &b,
                    clang::QualType type, const clang::Expr *where);
  Scalar compare(clang::BinaryOperatorKind op, const Scalar &a, const Scalar &b,
                 clang::QualType type, const clang::Expr *where);
  std::optional<Value> wrapped(const Value &a, const Value &b, clang::QualType type,
                               const clang::Expr *where);
  Scalar movedAddress(const Scalar &a, const Scalar &b, int direction, clang::QualType type,
                      Place place);
  Value movePointer(const Value &pointer, const Value &count, clang::QualType pointee,
                    int direction, const clang::Expr *where);
  /// The scalar as a number; data becomes a symbol, a residue needs to be in range.
  Scalar asNumber(const Scalar &scalar, clang::QualType type, Place place);
  /// The same, but residues stay what they are.
  Scalar numberInMemory(const Scalar &scalar, NumberType type, Place place);
  Scalar asResidue(const Scalar &scalar, clang::QualType type, Place place);
  Scalar convert(Scalar number, NumberType from, NumberType to, Place place);
  Condition isPresent(const Scalar &address);
  Condition asCondition(const Value &value, clang::QualType type, Place place);
  Scalar asData(const Scalar &scalar, clang::QualType type);

  // What a copy combines into global memory.
  std::optional<element_type> numbersOf(clang::QualType type) const;
  std::optional<Scalar> combined(reduce_operation operation, const Scalar &a, const Scalar &b,
                                 clang::QualType type) const;
  std::optional<Value> combineByCall(llvm::StringRef name, const clang::CallExpr *call);
  Value combineAtomically(reduce_operation operation, const Value &old, const Value &by,
                          llvm::StringRef name, const clang::CallExpr *call);

  // What is looked up in memory.
  const clang::ParmVarDecl *unchangedArgument(unsigned object) const;
  unsigned tableOf(const clang::ParmVarDecl *argument);
  std::optional<IndexedName> spell(const Source &source) const;
  bool isSteady(const Source &source);
  std::optional<Scalar> whyUnclear(const Source &source);
  bool isNamed(const Polynomial &value) const;
  bool isVisible(const clang::VarDecl *variable, SymbolId value) const;
  std::optional<IndexedName> spellByPointer(const Source &source);
  bool isReadableAtCopy(const Source &source);
  std::vector<const clang::VarDecl *> visibleVariables() const;
  void nameLookups();
  void noteLookup(const Source &source, Lookup lookup, bool isByPointer, bool isReadable);
  Scalar lookedUp(const Source &source, NumberType type);
  Scalar lookedUpInShared(const Source &source, NumberType type);
  Scalar asAddress(const Scalar &scalar, clang::QualType pointee, Place place);

  // Memory.
  Value typed(const Value &value, clang::QualType type) const;
  Value load(const Value &address, clang::QualType type, Place place);
  Scalar loadGlobal(const Scalar &from, clang::QualType type, Place place) const;
  std::optional<Scalar> constantAt(const Scalar &from, clang::QualType type) const;
  Scalar loadShared(const Scalar &from, clang::QualType type, Place place);
  void noteAccess(const Scalar &address, clang::QualType type, bool isStore, Place place);
  Value loadLocal(const Scalar &from, clang::QualType type, Place place);
  void initialise(const Value &address, const Value &value, clang::QualType type, Place place);
  void store(const Value &address, const Value &value, clang::QualType type, Place place);
  void storeAnywhere(const Scalar &to, Place place);
  void storeThere(const Scalar &to, const Condition &guard, const Value &value,
                  clang::QualType type, Place place);
  void storeLocal(const Scalar &to, const Condition &guard, const Value &value, unsigned size,
                  Place place);
  void noteWriteOutside(unsigned object, Place place);
  void storeGlobal(const Scalar &address, const Condition &guard, const Value &value,
                   clang::QualType type, Place place);
  void record(const Scalar &address, const Condition &guard, const Value &value,
              clang::QualType type, Place place);
  void recordCell(SharedObject &object, int64_t offset, unsigned size, const Condition &guard,
                  const Value &value, Place place);
  bool copyLocal(const Value &to, const Scalar &from, unsigned size);
  void copyObject(const Value &to, const Value &from, clang::QualType type, Place place);
  Value makeTemporary(clang::QualType type);
  Value copied(const Value &object, clang::QualType type, Place place);
  unsigned objectOf(const clang::VarDecl *variable);
  unsigned namedMemory(const clang::VarDecl *variable);
  unsigned baseOf(GlobalBase base, clang::QualType pointee, bool isFixed);

  // Arguments of the kernel.
  struct ArgumentPart {
    const clang::ParmVarDecl *parameter;
    std::string spelling;
    clang::QualType type;
    int64_t offset;
    /// A member that others may not name, or in one.
    bool isHidden = false;
    /// How code writes a number or a pointer that is hidden; else empty.
    std::string code = {};
  };
  std::string codeOf(const ArgumentPart &part) const;
  void describeMember(const clang::FieldDecl *field, const clang::CXXRecordDecl *whole,
                      const ArgumentPart &part, unsigned object);
  void describeArgument(const ArgumentPart &part, unsigned object);
  void describeElements(const clang::ConstantArrayType *array, const ArgumentPart &part,
                        unsigned object);
  void describeMembers(const clang::CXXRecordDecl *record, const clang::CXXRecordDecl *whole,
                       const ArgumentPart &part, unsigned object);

  /// What is run, and what for.
  enum class Mode {
    OnTheWay,    ///< what leads to the target, as far as the copy depends on it
    RoundBefore, ///< the same in the round before, of a loop around the target
    Arrived,     ///< nothing: the thread is just before the target
    Copying,     ///< the annotated statement, and all of it has to be followed
    Watching,    ///< all of the kernel, to see what is done to shared memory
  };
  bool isCopying() const { return mode == Mode::Copying; }
  bool isWatching() const { return mode == Mode::Watching; }

  // Helpers.
  bool canName(const clang::VarDecl *variable) const;
  bool stopped() const { return block.failed(); }
  /// Whether the analysis has failed, or this thread does not get here.
  bool gone() const { return stopped() || mask.isNever(); }
  /// Whether the code that is run is in a call that does not lead to the target.
  bool isOnTheSide() const { return frames.size() > framesOnPath; }
  void fail(Diagnostic diagnostic) { block.fail(std::move(diagnostic)); }
  void failAsSideEffect(const std::string &what, Place place);
  Place placeOf(clang::SourceLocation location) const;
  Place placeOf(const clang::Stmt *statement) const { return placeOf(statement->getBeginLoc()); }
  unsigned sizeOf(clang::QualType type) const;
  std::optional<NumberType> numberType(clang::QualType type) const;
  std::string spell(const clang::Stmt *statement) const;

  struct Loop {
    Condition broken;
    Condition continued;
  };
  struct Frame {
    const clang::FunctionDecl *function = nullptr;
    Place calledAt;
    Condition returned;
    Value result;
    bool hasResult = false;
    bool returnsReference = false;
    Value self;
    /// Of a function that calls itself: the variables of the call before.
    std::optional<llvm::DenseMap<const clang::VarDecl *, unsigned>> outerObjects;
  };

  Value thisIn(const clang::CXXRecordDecl *lambda, Value closure) const;
  void bindCaptures(const clang::CXXMethodDecl *callee,
                    std::optional<llvm::DenseMap<const clang::VarDecl *, unsigned>> &outer);
  void noteCopies(const clang::LambdaExpr *lambda);
  LocalObject copyOfReferent(const clang::VarDecl *reference, Place place);
  Value asReadNumber(const Value &stored, unsigned object, int64_t offset, clang::QualType type,
                     Place place);
  static bool hasUnion(const clang::CXXRecordDecl *record);
  bool isOfFloats(const Source &data) const;

  const KernelUnderTest &kernel;
  Block &block;
  std::array<unsigned, 3> thread;
  unsigned threadNumber;
  /// Of lambdas that were made: what `this` means in them.
  llvm::DenseMap<const clang::CXXRecordDecl *, Value> objectsOfLambdas;
  /// What each lambda has captured by copy, when it was made last.
  std::map<const clang::CXXRecordDecl *, std::map<const clang::VarDecl *, LocalObject>> capturedBy;
  /// When this thread is here, given that it gets to the target.
  Condition mask = Condition::always();
  /// Why the mask is unknown, where it is.
  std::string whyMasked = "it depends on more than indices and arguments";
  Condition reached = Condition::always();
  bool mayMiss = false;
  std::vector<Loop> loops;
  std::vector<Frame> frames;
  /// How many of them are on the path to the target; the others are calls on the side.
  size_t framesOnPath = 1;
  llvm::DenseMap<const clang::VarDecl *, unsigned> objects;
  /// A deque, so that references to an object stay valid while others are added.
  std::deque<LocalObject> memory;
  llvm::DenseMap<unsigned, clang::QualType> typesOfObjects;
  llvm::SmallVector<const clang::VarDecl *, 16> scope;
  /// Declared where every statement is run: all that happens to them is known, even if
  /// their address gets away.
  llvm::DenseSet<const clang::VarDecl *> followed;
  /// Numbers and pointers that the kernel gets, members of structs among them.
  std::vector<ArgumentPart> arguments;
  Mode mode = Mode::OnTheWay;
  const clang::Stmt *target = nullptr;
  /// What is being run ahead of the target, in one of the path's functions.
  const clang::Stmt *onTheWay = nullptr;
  const llvm::DenseSet<const clang::VarDecl *> *relevant = nullptr;
  std::vector<std::pair<SymbolId, Source>> lookedUpBefore;
  /// While it is watching: what is left out, and what was seen.
  llvm::ArrayRef<const clang::Stmt *> notWatched;
  std::vector<SharedAccess> accesses;
  /// The number of the first local object that is created while the copy itself runs.
  unsigned ownObjects = 0;
  unsigned steps = 0;
  /// How many loops are being run.
  unsigned openLoops = 0;
};

} // namespace tilelift

#endif
