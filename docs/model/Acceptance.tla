----------------------------- MODULE Acceptance -----------------------------
(* The requests with one Idempotency-Key: from POST to charge, answer and compensation. A request has the id of   *)
(* the job that it may create. An action is one write to MongoDB, one step of Temporal or one message. Faults come *)
(* from a shared budget. README.md says which code an action stands for, and what is left out.                     *)
EXTENDS Integers, FiniteSets

CONSTANTS
  Requests,             \* some of "a1", "a2", "b1", "b2", of the clients a and b
  TwoBodies,            \* whether those of b have another body than those of a, which then cost two images
  Balance, MaxRequests, MaxTries, MaxFaults,
  Faults,               \* the kinds of fault that happen
  Mechanisms            \* those of AllMechanisms that work

VARIABLES
  mongo,                \* see Init
  wf,                   \* Temporal: workflow by id: a request, or Key for the one of the Idempotency-Key
  calls, waiting,       \* Update-with-Starts under way; the workflow whose outcome a request waits for
  req,                  \* the API's handling of each request
  voids, late, paused,  \* voids in the background; writes that MongoDB executes late; workers that go on late
  old,                  \* requests that were sent more than a day ago
  budget
vars == <<mongo, wf, calls, waiting, req, voids, late, paused, old, budget>>

AllMechanisms == {"ownRefusal", "fenceRefusal", "fenceUnknown", "workerFence", "withdrawn", "sentAt"}
Has(mechanism) == mechanism \in Mechanisms
None == "none"
Key == "key"
Body(r) == IF TwoBodies /\ r \in {"a1", "a2"} THEN "a" ELSE "any"
Price(r) == IF TwoBodies /\ r \in {"a1", "a2"} THEN 2 ELSE 1
Retried(s) == CASE s = "a2" -> "a1" [] s = "b2" -> "b1" [] OTHER -> None

Init ==
  /\ mongo = [balance |-> Balance, others |-> 0,                    \* others: the sum of other jobs and packs
              ledger |-> {}, row |-> None,                          \* row: the job that has the Idempotency-Key
              job |-> [j \in Requests |-> None],                    \* its status, or "tombstone" or "unpaid"
              workflow |-> [j \in Requests |-> None],
              answered |-> [j \in Requests |-> {}], withdrawn |-> [j \in Requests |-> {}]]
  /\ wf = [w \in Requests \cup {Key} |-> [is |-> None, draft |-> None, step |-> None, outcome |-> None, of |-> None]]
  /\ calls = {} /\ waiting = [r \in Requests |-> None]
  /\ req = [r \in Requests |-> [step |-> IF Retried(r) # None THEN "unsent" ELSE "lookUp", own |-> FALSE, tries |-> 0,
                                code |-> 0, of |-> None, outcome |-> None, from |-> None, compensations |-> {}]]
  /\ voids = {} /\ late = {} /\ paused = {} /\ old = {} /\ budget = MaxFaults

Fault(kind) == kind \in Faults /\ budget > 0 /\ budget' = budget - 1
Answered(r) == req[r].step = "answered"
Gone(r) == req[r].step \in {"answered", "killed", "unsent"}

-----------------------------------------------------------------------------
(* MongoDB. Each operator is one transaction or write, and returns what is stored afterwards. *)
Live == {"processing", "completed", "failed"}
IsThere(j) == mongo.job[j] \in Live \cup {"deleted"}
CanAccept(j) == mongo.job[j] = None /\ mongo.row = None /\ mongo.balance >= Price(j)
IsTaken(j) == mongo.job[j] # None \/ mongo.row # None

Accepted(j, w) ==
  [mongo EXCEPT !.balance = @ - Price(j), !.ledger = @ \cup {<<"charge", j>>}, !.job[j] = "processing", !.row = j,
                !.answered[j] = {j}, !.workflow[j] = w]
Fenced(j, as) == IF mongo.job[j] = None THEN [mongo EXCEPT !.job[j] = as] ELSE mongo
Reversed(m, j, kind) == [m EXCEPT !.balance = @ + Price(j), !.ledger = @ \cup {<<kind, j>>}]
Ended(j, status) ==
  LET m == [mongo EXCEPT !.job[j] = status] IN IF status = "failed" THEN Reversed(m, j, "refund") ELSE m
Voided(j, r) ==
  CASE mongo.job[j] = None -> Fenced(j, "tombstone")
    [] mongo.job[j] \in {"tombstone", "unpaid", "deleted"} -> mongo
    [] Cardinality(mongo.answered[j]) >= MaxRequests -> mongo
    [] mongo.answered[j] \ {r} # {} -> [mongo EXCEPT !.answered[j] = @ \ {r}, !.withdrawn[j] = @ \cup {r}]
    [] OTHER -> LET m == [mongo EXCEPT !.job[j] = "tombstone", !.row = None, !.answered[j] = {}]
                IN IF mongo.job[j] = "failed" THEN m ELSE Reversed(m, j, "void")
IsWithdrawn(j, r) == Has("withdrawn") /\ r \in mongo.withdrawn[j]
Recorded(j, r) ==
  IF mongo.job[j] \in Live /\ ~IsWithdrawn(j, r) /\ Cardinality(mongo.answered[j]) < MaxRequests
  THEN [mongo EXCEPT !.answered[j] = @ \cup {r}] ELSE mongo

-----------------------------------------------------------------------------
(* The API *)
elsewhere == <<wf, calls, waiting, late, paused, old>>
Becomes(r, q) == req' = [req EXCEPT ![r] = q] /\ UNCHANGED voids
Answer(r, q, code, j) ==
  /\ req' = [req EXCEPT ![r] = [q EXCEPT !.step = "answered", !.code = code, !.of = j,
                                          !.outcome = None, !.from = None]]
  /\ voids' = IF code = 500 THEN voids \cup {<<c, r>> : c \in q.compensations} ELSE voids
\* A refusal that was learnt from Temporal, by another request's acceptance or the own one.
Refuse(r, q, code, j) ==
  IF q.from = "call" /\ Has("fenceRefusal")
  THEN Becomes(r, [q EXCEPT !.step = "decide", !.code = code, !.of = j]) ELSE Answer(r, q, code, j)
Replay(r, q, j) ==
  IF Body(j) # Body(r) THEN Refuse(r, q, 409, j)
  ELSE Becomes(r, [q EXCEPT !.step = "record", !.of = j, !.compensations = @ \cup {j}])
Again(r, q) == Becomes(r, [q EXCEPT !.step = "call", !.own = TRUE, !.outcome = None, !.of = None])

Send(s) ==
  /\ req[s].step = "unsent"
  /\ LET r == Retried(s) IN req[r].step = "killed" \/ (Answered(r) /\ req[r].code \in {402, 500})
  /\ Becomes(s, [req[s] EXCEPT !.step = "lookUp"]) /\ UNCHANGED <<mongo, elsewhere, budget>>
LookUp(r) ==
  /\ req[r].step = "lookUp"
  /\ LET q == [req[r] EXCEPT !.from = "lookUp"] IN
     IF mongo.row # None THEN Replay(r, q, mongo.row)
     ELSE IF mongo.balance < Price(r) THEN Becomes(r, [q EXCEPT !.step = "lookUpAgain"])
     ELSE Becomes(r, [q EXCEPT !.step = "call", !.compensations = {r}])
  /\ UNCHANGED <<mongo, elsewhere, budget>>
LookUpAgain(r) ==
  /\ req[r].step = "lookUpAgain"
  /\ IF mongo.row # None THEN Replay(r, req[r], mongo.row) ELSE Answer(r, req[r], 402, r)
  /\ UNCHANGED <<mongo, elsewhere, budget>>
LookUpFails(r) ==
  /\ req[r].step \in {"lookUp", "lookUpAgain"} /\ Fault("mongo") /\ Answer(r, req[r], 500, None)
  /\ UNCHANGED <<mongo, elsewhere>>
Call(r) ==
  /\ req[r].step = "call"
  /\ IF req[r].tries = MaxTries THEN Becomes(r, [req[r] EXCEPT !.step = "decide"]) /\ UNCHANGED calls
     ELSE /\ Becomes(r, [req[r] EXCEPT !.step = "wait", !.tries = @ + 1, !.from = "call"])
          /\ calls' = calls \cup {<<r, IF req[r].own THEN r ELSE Key>>}
  /\ UNCHANGED <<mongo, wf, waiting, late, paused, old, budget>>
TimeOut(r) ==   \* without a fault when no answer can come any more
  /\ req[r].step = "wait"
  /\ IF waiting[r] = None /\ \A c \in calls : c[1] # r THEN UNCHANGED budget ELSE Fault("timeout")
  /\ Becomes(r, [req[r] EXCEPT !.step = "decide"]) /\ waiting' = [waiting EXCEPT ![r] = None]
  /\ UNCHANGED <<mongo, wf, calls, late, paused, old>>
Conclude(r) ==
  /\ req[r].step = "conclude"
  /\ LET q == req[r] j == req[r].of IN
     CASE q.outcome \in {"accepted", "existing"} -> IF j = r THEN Answer(r, q, 201, r) ELSE Replay(r, q, j)
       [] q.outcome = "insufficient_credits" ->
            IF j # r /\ Has("ownRefusal") THEN Again(r, q) ELSE Refuse(r, q, 402, j)
       [] q.outcome = "closed" -> IF mongo.row = None THEN Again(r, q) ELSE Replay(r, q, mongo.row)
       [] OTHER -> IF j = r THEN Becomes(r, [q EXCEPT !.step = "decide"]) ELSE Again(r, q)
  /\ UNCHANGED <<mongo, elsewhere, budget>>
RecordReturned(r) ==
  /\ req[r].step = "record" /\ mongo' = Recorded(req[r].of, r)
  /\ LET j == req[r].of q == [req[r] EXCEPT !.compensations = @ \ {j}] IN
     CASE mongo.job[j] \in Live -> Answer(r, req[r], IF IsWithdrawn(j, r) THEN 500 ELSE 201, j)
       [] mongo.job[j] = "deleted" -> Refuse(r, req[r], 404, j)
       [] q.from = "lookUp" -> Becomes(r, [q EXCEPT !.step = "call", !.compensations = @ \cup {r}, !.of = None])
       [] q.from = "call" -> Again(r, q)
       [] OTHER -> Answer(r, q, 500, None)
  /\ UNCHANGED <<elsewhere, budget>>
RecordFails(r) ==   \* no reply: written, written late, or never
  /\ req[r].step = "record" /\ Fault("mongo")
  /\ LET j == req[r].of IN
     \/ mongo' = Recorded(j, r) /\ UNCHANGED late
     \/ late' = late \cup {<<"record", j, r>>} /\ UNCHANGED mongo
     \/ UNCHANGED <<mongo, late>>
  /\ IF req[r].from = "call" THEN Becomes(r, [req[r] EXCEPT !.step = "decide", !.of = None])
     ELSE Answer(r, req[r], 500, None)
  /\ UNCHANGED <<wf, calls, waiting, paused, old>>
Decide(r) ==   \* code: the refusal that becomes final, or 0 when the outcome is unknown
  /\ req[r].step = "decide"
  /\ LET q == [req[r] EXCEPT !.compensations = @ \ {r}, !.from = "decide"] IN
     IF ~Has("fenceUnknown") /\ req[r].code = 0 THEN Answer(r, q, 500, None) /\ UNCHANGED mongo
     ELSE IF IsThere(r) THEN Answer(r, req[r], IF mongo.job[r] = "deleted" THEN 404 ELSE 201, r) /\ UNCHANGED mongo
     ELSE /\ mongo' = Fenced(r, "tombstone")
          /\ IF q.code # 0 THEN Answer(r, q, q.code, q.of) ELSE Becomes(r, [q EXCEPT !.step = "findSpent"])
  /\ UNCHANGED <<elsewhere, budget>>
DecideFails(r) ==
  /\ req[r].step = "decide" /\ Fault("mongo") /\ mongo' \in {mongo, Fenced(r, "tombstone")}
  /\ Answer(r, req[r], 500, None) /\ UNCHANGED elsewhere
FindSpent(r) ==
  /\ req[r].step = "findSpent"
  /\ IF mongo.row = None THEN Answer(r, req[r], 500, None) ELSE Replay(r, req[r], mongo.row)
  /\ UNCHANGED <<mongo, elsewhere, budget>>

HookFails(r) ==   \* a hook after the handler fails, such as the one that waits for the job
  /\ Answered(r) /\ req[r].code = 201 /\ Fault("hook") /\ Answer(r, req[r], 500, None)
  /\ UNCHANGED <<mongo, elsewhere>>
KillApi(r) ==   \* nothing is answered, or what was to be voided is forgotten
  /\ req' = [req EXCEPT ![r].step = "killed"] /\ waiting' = [waiting EXCEPT ![r] = None]
  /\ \/ ~Gone(r) /\ Fault("kill") /\ UNCHANGED voids
        /\ mongo' \in {mongo} \cup (IF req[r].step = "record" THEN {Recorded(req[r].of, r)} ELSE {})
     \/ Answered(r) /\ (\E v \in voids : v[2] = r) /\ Fault("kill")
        /\ voids' = {v \in voids : v[2] # r} /\ UNCHANGED mongo
  /\ UNCHANGED <<wf, calls, late, paused, old>>
Void(v) ==
  /\ v \in voids /\ mongo' = Voided(v[1], v[2]) /\ voids' = voids \ {v}
  /\ UNCHANGED <<wf, calls, waiting, req, late, paused, old, budget>>
VoidTimesOut(v) ==   \* and is repeated
  /\ v \in voids /\ Fault("mongo") /\ late' = late \cup {<<"void", v[1], v[2]>>}
  /\ UNCHANGED <<mongo, wf, calls, waiting, req, voids, paused, old>>
LateWrite(o) ==
  /\ o \in late /\ late' = late \ {o}
  /\ mongo' = IF o[1] = "void" THEN Voided(o[2], o[3]) ELSE Recorded(o[2], o[3])
  /\ UNCHANGED <<wf, calls, waiting, req, voids, paused, old, budget>>

-----------------------------------------------------------------------------
(* Temporal: Update-with-Start with USE_EXISTING and ALLOW_DUPLICATE_FAILED_ONLY *)
Waits(c) == req[c[1]].step = "wait" /\ (c[2] = Key) = ~req[c[1]].own
Told(r, outcome, j) == [req[r] EXCEPT !.step = "conclude", !.outcome = outcome, !.of = j]
Deliver(c) ==
  /\ c \in calls
  /\ \/ calls' = calls \ {c} /\ UNCHANGED budget
     \/ Fault("copy") /\ UNCHANGED calls   \* another copy of it is still under way
  /\ LET r == c[1] w == c[2] IN
     IF wf[w].is \in {None, "failed"}
     THEN /\ wf' = [wf EXCEPT ![w] = [is |-> "open", draft |-> r, step |-> "try", outcome |-> None, of |-> None]]
          /\ waiting' = IF Waits(c) THEN [waiting EXCEPT ![r] = w] ELSE waiting
          /\ UNCHANGED req
     ELSE IF wf[w].is = "open" /\ wf[w].outcome = None
     THEN waiting' = (IF Waits(c) THEN [waiting EXCEPT ![r] = w] ELSE waiting) /\ UNCHANGED <<wf, req>>
     ELSE /\ req' = IF ~Waits(c) THEN req
                    ELSE [req EXCEPT ![r] = IF wf[w].is = "open" THEN Told(r, wf[w].outcome, wf[w].of)
                                            ELSE Told(r, "closed", None)]
          /\ UNCHANGED <<wf, waiting>>
  /\ UNCHANGED <<mongo, voids, late, paused, old>>
Lose(c) ==
  /\ c \in calls /\ Fault("timeout") /\ calls' = calls \ {c}
  /\ UNCHANGED <<mongo, wf, waiting, req, voids, late, paused, old>>

-----------------------------------------------------------------------------
(* The worker: the local activity acceptJob, and then the rest of the workflow in one step *)
outside == <<calls, voids, late, paused, old>>
At(w, steps) == wf[w].is = "open" /\ wf[w].step \in steps
Goes(w, step) == wf' = [wf EXCEPT ![w].step = step] /\ UNCHANGED <<req, waiting>>
Outcome(w, outcome, j) ==   \* to all that wait
  /\ wf' = [wf EXCEPT ![w].outcome = outcome, ![w].of = j, ![w].step = "run",
                      ![w].is = CASE outcome = "accepted" -> "open"
                                  [] outcome = "existing" -> "completed"
                                  [] OTHER -> "failed"]
  /\ req' = [r \in Requests |-> IF waiting[r] = w THEN Told(r, outcome, j) ELSE req[r]]
  /\ waiting' = [r \in Requests |-> IF waiting[r] = w THEN None ELSE waiting[r]]
Try(w) ==
  /\ At(w, {"try"})
  /\ LET j == wf[w].draft IN
     IF Has("sentAt") /\ j \in old THEN Goes(w, "fenceLate") /\ UNCHANGED mongo
     ELSE IF CanAccept(j) THEN mongo' = Accepted(j, w) /\ Outcome(w, "accepted", j)
     ELSE Goes(w, IF IsTaken(j) THEN "taken" ELSE "short") /\ UNCHANGED mongo
  /\ UNCHANGED <<outside, budget>>
IsLate(w) ==
  /\ At(w, {"try"}) /\ Fault("timeout") /\ Goes(w, "fenceLate") /\ UNCHANGED <<mongo, outside>>
FindJob(w) ==
  /\ At(w, {"taken", "short"})
  /\ LET j == wf[w].draft IN
     CASE IsThere(j) -> Outcome(w, "accepted", j)
       [] mongo.job[j] = "tombstone" -> Outcome(w, "voided", j)
       [] mongo.job[j] = "unpaid" -> Goes(w, "fenceShort")
       [] OTHER -> Goes(w, IF wf[w].step = "taken" THEN "takenKey" ELSE "shortKey")
  /\ UNCHANGED <<mongo, outside, budget>>
FindRow(w) ==
  /\ At(w, {"takenKey", "shortKey"})
  /\ LET j == wf[w].draft IN
     IF mongo.row # None THEN Outcome(w, IF mongo.row = j THEN "accepted" ELSE "existing", mongo.row)
     ELSE Goes(w, IF wf[w].step = "takenKey" THEN "try" ELSE "fenceShort")
  /\ UNCHANGED <<mongo, outside, budget>>
WorkerFences(j, step) ==
  IF Has("workerFence") THEN Fenced(j, IF step = "fenceShort" THEN "unpaid" ELSE "tombstone") ELSE mongo
Fence(w) ==
  /\ At(w, {"fenceLate", "fenceShort"})
  /\ LET j == wf[w].draft IN
     /\ mongo' = WorkerFences(j, wf[w].step)
     /\ IF IsThere(j) THEN Outcome(w, "accepted", j)
        ELSE Outcome(w, IF wf[w].step = "fenceLate" THEN "unavailable" ELSE "insufficient_credits", j)
  /\ UNCHANGED <<outside, budget>>
PauseWorker(w) ==   \* the attempt is repeated elsewhere, and its next write comes late or never
  /\ At(w, {"try", "taken", "short", "takenKey", "shortKey", "fenceLate", "fenceShort"}) /\ Fault("worker")
  /\ Goes(w, "try") /\ paused' \in {paused, paused \cup {<<w, wf[w].draft, wf[w].step>>}}
  /\ UNCHANGED <<mongo, calls, voids, late, old>>
LoseResult(w) ==
  /\ At(w, {"try"}) /\ CanAccept(wf[w].draft) /\ Fault("worker") /\ mongo' = Accepted(wf[w].draft, w)
  /\ UNCHANGED <<wf, calls, waiting, req, voids, late, paused, old>>
GoOn(p) ==
  /\ p \in paused /\ paused' = paused \ {p}
  /\ mongo' = CASE p[3] = "try" /\ CanAccept(p[2]) -> Accepted(p[2], p[1])
                [] p[3] \in {"fenceLate", "fenceShort"} -> WorkerFences(p[2], p[3])
                [] OTHER -> mongo
  /\ UNCHANGED <<wf, calls, waiting, req, voids, late, old, budget>>
Run(w) ==
  /\ At(w, {"run"})
  /\ LET j == wf[w].draft IN
     \/ mongo.job[j] = "processing" /\ (\E s \in {"completed", "failed"} : mongo' = Ended(j, s))
        /\ wf' = [wf EXCEPT ![w].is = "completed"]
     \/ mongo.job[j] # "processing" /\ UNCHANGED mongo
        /\ wf' = [wf EXCEPT ![w].is = IF IsThere(j) THEN "completed" ELSE "failed"]
  /\ UNCHANGED <<calls, waiting, req, voids, late, paused, old, budget>>

-----------------------------------------------------------------------------
(* Operators, time, and other requests of the account *)
Reset(w) ==
  /\ wf[w].outcome # None /\ Fault("reset")
  /\ wf' = [wf EXCEPT ![w].is = "open", ![w].step = "try", ![w].outcome = None, ![w].of = None]
  /\ UNCHANGED <<mongo, calls, waiting, req, voids, late, paused, old>>
Terminate(w) ==
  /\ wf[w].is = "open" /\ Fault("terminate") /\ wf' = [wf EXCEPT ![w].is = "failed"]
  /\ req' = [r \in Requests |-> IF waiting[r] = w THEN [req[r] EXCEPT !.step = "decide"] ELSE req[r]]
  /\ waiting' = [r \in Requests |-> IF waiting[r] = w THEN None ELSE waiting[r]]
  /\ UNCHANGED <<mongo, outside>>
Forget(w) ==   \* the retention of the namespace
  /\ wf[w].is \in {"completed", "failed"} /\ Fault("forget") /\ wf' = [wf EXCEPT ![w].is = None, ![w].outcome = None]
  /\ UNCHANGED <<mongo, calls, waiting, req, voids, late, paused, old>>
Reconcile(j) ==
  /\ mongo.job[j] = "processing" /\ wf[mongo.workflow[j]].is # "open" /\ mongo' = Ended(j, "failed")
  /\ UNCHANGED <<wf, calls, waiting, req, voids, late, paused, old, budget>>
OtherJob ==
  /\ Fault("other")
  /\ \E n \in {-1, 1} : mongo.balance + n >= 0 /\ mongo' = [mongo EXCEPT !.balance = @ + n, !.others = @ + n]
  /\ UNCHANGED <<wf, calls, waiting, req, voids, late, paused, old>>
Delete(j) ==
  /\ mongo.job[j] \in {"completed", "failed"} /\ Fault("delete") /\ mongo' = [mongo EXCEPT !.job[j] = "deleted"]
  /\ UNCHANGED <<wf, calls, waiting, req, voids, late, paused, old>>
WeekPasses ==   \* tombstones go. No request, write or worker takes that long; a message or a workflow may
  /\ Fault("week") /\ (\A r \in Requests : Gone(r)) /\ voids = {} /\ late = {} /\ paused = {}
  /\ mongo' = [mongo EXCEPT !.job = [j \in Requests |-> IF @[j] \in {"tombstone", "unpaid"} THEN None ELSE @[j]]]
  /\ old' = {r \in Requests : req[r].step # "unsent"} /\ UNCHANGED <<wf, calls, waiting, req, voids, late, paused>>

-----------------------------------------------------------------------------
Workflows == Requests \cup {Key}
Steps ==   \* what happens by itself
  \/ \E r \in Requests : \/ Send(r) \/ LookUp(r) \/ LookUpAgain(r) \/ Call(r) \/ TimeOut(r) \/ Conclude(r)
                         \/ RecordReturned(r) \/ Decide(r) \/ FindSpent(r) \/ Reconcile(r)
  \/ (\E v \in voids : Void(v)) \/ (\E o \in late : LateWrite(o)) \/ (\E c \in calls : Deliver(c))
  \/ (\E p \in paused : GoOn(p))
  \/ \E w \in Workflows : Try(w) \/ FindJob(w) \/ FindRow(w) \/ Fence(w) \/ Run(w)
Faulty ==
  \/ \E r \in Requests : LookUpFails(r) \/ RecordFails(r) \/ DecideFails(r) \/ HookFails(r) \/ KillApi(r) \/ Delete(r)
  \/ (\E v \in voids : VoidTimesOut(v)) \/ (\E c \in calls : Lose(c))
  \/ (\E w \in Workflows : IsLate(w) \/ PauseWorker(w) \/ LoseResult(w) \/ Reset(w) \/ Terminate(w) \/ Forget(w))
  \/ OtherJob \/ WeekPasses
Spec == Init /\ [][Steps \/ Faulty]_vars /\ WF_vars(Steps)

-----------------------------------------------------------------------------
(* What must hold *)
Posted(kind, j) == <<kind, j>> \in mongo.ledger
Kept(j) == Posted("charge", j) /\ ~Posted("refund", j) /\ ~Posted("void", j)
Quiet == /\ (\A r \in Requests : Gone(r)) /\ (\A w \in Workflows : wf[w].is # "open")
         /\ voids = {} /\ late = {} /\ calls = {} /\ paused = {}

Sum(kind) ==
  LET f[s \in SUBSET Requests] == IF s = {} THEN 0 ELSE LET j == CHOOSE j \in s : TRUE IN Price(j) + f[s \ {j}]
  IN f[{j \in Requests : Posted(kind, j)}]
LedgerIsBalance ==
  mongo.balance >= 0 /\ mongo.balance = Balance + mongo.others - Sum("charge") + Sum("refund") + Sum("void")
ReversedOnce == \A j \in Requests : /\ ~(Posted("refund", j) /\ Posted("void", j))
                                    /\ Posted("refund", j) \/ Posted("void", j) => Posted("charge", j)
OneCharge == Cardinality({j \in Requests : Kept(j)}) <= 1
RowIsJob == \A j \in Requests : (mongo.row = j) <=> IsThere(j)
StatusIsLedger == \A j \in Requests : /\ mongo.job[j] \in {"processing", "completed"} => Kept(j)
                                      /\ mongo.job[j] = "failed" => Posted("refund", j)
                                      /\ mongo.job[j] \in {"tombstone", "unpaid", None} => ~Kept(j)
Returned(r) == req[r].of
Created == \A r \in Requests : Answered(r) /\ req[r].code = 201 => IsThere(Returned(r)) /\ Body(Returned(r)) = Body(r)
NotFound == \A r \in Requests : Answered(r) /\ req[r].code = 404 => mongo.job[Returned(r)] = "deleted"
TooDear == \A r \in Requests : Answered(r) /\ req[r].code = 402 => Price(Returned(r)) <= Price(r)
RefusedIsFree == \A r \in Requests : Answered(r) /\ req[r].code \in {402, 409} => ~IsThere(r)
\* After a 5xx nothing is kept, unless the job was deleted or another request was answered with it ...
KeptForNobody(r) == /\ Answered(r) /\ req[r].code = 500 /\ Kept(r) /\ mongo.job[r] # "deleted"
                    /\ \A s \in Requests \ {r} : ~(Answered(s) /\ req[s].code = 201 /\ Returned(s) = r)
UndoneAlways == Quiet => \A r \in Requests : ~KeptForNobody(r)
\* ... or for the exceptions of architecture.md: the list is full, or a process was killed.
Undone == Quiet => \A r \in Requests : KeptForNobody(r) =>
            Cardinality(mongo.answered[r]) >= MaxRequests \/ \E s \in Requests : req[s].step = "killed"
AllEnd == <>[](Quiet /\ \A j \in Requests : mongo.job[j] # "processing")
=============================================================================
