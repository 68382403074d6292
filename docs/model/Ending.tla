------------------------------- MODULE Ending -------------------------------
(* One accepted job, from its first render attempt to its end. An attempt that Temporal has given up may go on.   *)
(* The calls to upstreams are part of the job's document, so an action on both is one write. Which upstream is     *)
(* asked is left out: failover is another call of the same attempt. README.md says which code an action stands for. *)
EXTENDS Integers, Sequences, FiniteSets

CONSTANTS
  Attempts,             \* 1, 2, ...: the attempts that there is time for
  Tasks,                \* whether the upstream names a task to ask for and to cancel; otherwise a call is one request
  MaxFaults,
  Faults,               \* the kinds of fault that happen
  Mechanisms            \* those of AllMechanisms that work

VARIABLES
  job, object,          \* MongoDB, with the calls; S3: the result of each attempt
  up,                   \* the upstream's side of each call
  attempt, wf, signal, late,
  begunLate,            \* whether a call has begun after the job's end
  budget
vars == <<job, object, up, attempt, wf, signal, late, begunLate, budget>>

AllMechanisms == {"whileProcessing", "asListed", "cancelLate", "removeNamed", "beats", "goesOn", "reconciler"}
Has(mechanism) == mechanism \in Mechanisms
None == 0
MaxCalls == 3           \* to keep the model finite

Init ==
  /\ job = [status |-> "processing", result |-> None, refunds |-> 0, voids |-> 0, byClient |-> FALSE, calls |-> <<>>]
  /\ object = [a \in Attempts |-> "none"] /\ up = <<>>
  /\ attempt = [a \in Attempts |-> [at |-> "unused", run |-> 0, checks |-> FALSE, listed |-> 0, call |-> None,
                                    object |-> None, report |-> "-"]]
  /\ wf = [is |-> "open", run |-> 1, step |-> "render", current |-> None, stop |-> FALSE, object |-> None]
  /\ signal = FALSE /\ late = {} /\ begunLate = FALSE /\ budget = MaxFaults

Fault(kind) == kind \in Faults /\ budget > 0 /\ budget' = budget - 1
Calls == 1..Len(job.calls)
IsOpen(i) == job.calls[i].outcome = "-"
Charged == Cardinality({i \in Calls : job.calls[i].charged})

(* The writes to the job's document: each returns what is stored afterwards. *)
Processing == job.status = "processing"
Completed(o) == [job EXCEPT !.status = "completed", !.result = o]
Failed == [job EXCEPT !.status = "failed", !.refunds = @ + 1]
WithCall(i, call) == [job EXCEPT !.calls[i] = call]
WithOutcome(these, outcome) ==
  [job EXCEPT !.calls = [i \in Calls |-> IF i \in these THEN [@[i] EXCEPT !.outcome = outcome] ELSE @[i]]]
NewCall == [task |-> FALSE, outcome |-> "-", charged |-> TRUE, result |-> None]
\* Whoever ends the job removes what its calls name as results, but for the result of the job.
Named == IF Has("removeNamed") THEN {job.calls[i].result : i \in Calls} ELSE {}
Without(objects) == [a \in Attempts |-> IF a \in objects /\ object[a] = "stored" THEN "removed" ELSE object[a]]

-----------------------------------------------------------------------------
(* An attempt *)
Is(a, steps) == attempt[a].at \in steps
To(a, step) == attempt' = [attempt EXCEPT ![a].at = step]
Reports(a, what) == attempt' = [attempt EXCEPT ![a].at = "report", ![a].report = what]
\* Whether a process beats for a call without a task: it submits it, or waits for its response.
Beats(i) == \E a \in Attempts : /\ attempt[a].call = i
                                /\ Is(a, IF Tasks THEN {"send", "name"} ELSE {"send", "wait", "store", "outcome"})

Check(a) ==
  /\ Is(a, {"check"})
  /\ CASE ~attempt[a].checks \/ Processing -> To(a, "list")
       [] job.status = "tombstone" -> To(a, "final")
       [] job.status = "failed" -> attempt' = [attempt EXCEPT ![a].at = "cancel", ![a].report = "ended"]
       [] OTHER -> Reports(a, "ended")
  /\ UNCHANGED <<job, object, up, wf, signal, late, begunLate, budget>>
List(a) ==
  /\ Is(a, {"list"})
  /\ LET unnamed == {i \in Calls : IsOpen(i) /\ ~job.calls[i].task}
         pending == {i \in Calls : IsOpen(i) /\ job.calls[i].task}
         stored == {i \in Calls : job.calls[i].result # None}
         First(s) == CHOOSE i \in s : \A k \in s : i <= k IN
     IF unnamed # {}
     THEN /\ IF Has("beats") /\ \E i \in unnamed : Beats(i) THEN Fault("pause")   \* otherwise it waits
             ELSE UNCHANGED budget
          /\ job' = WithOutcome(unnamed, "lost") /\ UNCHANGED attempt
     ELSE /\ IF stored # {}
             THEN attempt' = [attempt EXCEPT ![a].at = "complete", ![a].object = job.calls[First(stored)].result]
             ELSE IF pending # {}
             THEN attempt' = [attempt EXCEPT ![a].at = "wait", ![a].call = First(pending)]
             ELSE IF Charged >= 2 \/ \E i \in Calls : job.calls[i].outcome = "refused" THEN To(a, "final")
             ELSE attempt' = [attempt EXCEPT ![a].at = "begin", ![a].listed = Len(job.calls)]
          /\ UNCHANGED <<job, budget>>
  /\ UNCHANGED <<object, up, wf, signal, late, begunLate>>
Begin(a) ==
  /\ Is(a, {"begin"})
  /\ IF (Has("whileProcessing") /\ ~Processing) \/ Len(job.calls) = MaxCalls
     THEN To(a, "final") /\ UNCHANGED <<job, up, begunLate>>
     ELSE IF Has("asListed") /\ Len(job.calls) # attempt[a].listed
     THEN To(a, "list") /\ UNCHANGED <<job, up, begunLate>>
     ELSE /\ job' = [job EXCEPT !.calls = Append(@, NewCall)]
          /\ up' = Append(up, "unsent") /\ begunLate' = (begunLate \/ ~Processing)
          /\ attempt' = [attempt EXCEPT ![a].at = "send", ![a].call = Len(job.calls) + 1]
  /\ UNCHANGED <<object, wf, signal, late, budget>>
Submit(a) ==
  /\ Is(a, {"send"}) /\ up' = [up EXCEPT ![attempt[a].call] = "running"] /\ To(a, IF Tasks THEN "name" ELSE "wait")
  /\ UNCHANGED <<job, object, wf, signal, late, begunLate, budget>>
NotSent(a) ==   \* a refused connection, a rate limit: not charged
  /\ Is(a, {"send"}) /\ Fault("unavailable")
  /\ LET i == attempt[a].call IN
     job' = WithCall(i, [job.calls[i] EXCEPT !.outcome = "unavailable", !.charged = FALSE])
  /\ (To(a, "list") \/ Reports(a, "retry")) /\ UNCHANGED <<object, up, wf, signal, late, begunLate>>
Name(a) ==
  /\ Is(a, {"name"})
  /\ LET i == attempt[a].call IN
     IF IsOpen(i) THEN job' = WithCall(i, [job.calls[i] EXCEPT !.task = TRUE]) /\ To(a, "wait") /\ UNCHANGED up
     ELSE /\ UNCHANGED job /\ Reports(a, "retry")
          /\ up' = IF Has("cancelLate") THEN [up EXCEPT ![i] = "cancelled"] ELSE up
  /\ UNCHANGED <<object, wf, signal, late, begunLate, budget>>
Wait(a) ==
  /\ Is(a, {"wait"})
  /\ LET i == attempt[a].call
         Ends(outcome) == job' = WithOutcome({i}, outcome) IN
     \/ up[i] # "cancelled" /\ up' = [up EXCEPT ![i] = "done"] /\ To(a, "store") /\ UNCHANGED <<job, budget>>
     \/ up[i] = "running" /\ Fault("refused") /\ up' = [up EXCEPT ![i] = "done"] /\ Ends("refused") /\ To(a, "final")
     \/ up[i] = "running" /\ Fault("unavailable") /\ UNCHANGED up   \* a task is asked for again, a response is lost
        /\ IF Tasks THEN Reports(a, "retry") /\ UNCHANGED job ELSE Ends("lost") /\ To(a, "list")
     \/ up[i] = "cancelled" /\ Ends("lost") /\ To(a, "list") /\ UNCHANGED <<up, budget>>
  /\ UNCHANGED <<object, wf, signal, late, begunLate>>
Store(a) ==
  /\ Is(a, {"store"}) /\ object' = [object EXCEPT ![a] = "stored"]
  /\ attempt' = [attempt EXCEPT ![a].at = "outcome", ![a].object = a]
  /\ UNCHANGED <<job, up, wf, signal, late, begunLate, budget>>
RecordOutcome(a) ==
  /\ Is(a, {"outcome"}) /\ To(a, "complete")
  /\ LET i == attempt[a].call IN job' = WithCall(i, [job.calls[i] EXCEPT !.outcome = "completed", !.result = a])
  /\ UNCHANGED <<object, up, wf, signal, late, begunLate, budget>>
Complete(a) ==
  /\ Is(a, {"complete"})
  /\ LET o == attempt[a].object IN
     IF Processing THEN job' = Completed(o) /\ object' = Without(Named \ {o}) /\ Reports(a, "ended")
     ELSE UNCHANGED <<job, object>> /\ IF job.result = o THEN Reports(a, "ended") ELSE To(a, "remove")
  /\ UNCHANGED <<up, wf, signal, late, begunLate, budget>>
CompleteTimesOut(a) ==   \* written, written late, or never; the workflow completes the job
  /\ Is(a, {"complete"}) /\ Fault("mongo") /\ Reports(a, "result")
  /\ \/ Processing /\ job' = Completed(attempt[a].object) /\ UNCHANGED late
     \/ late' = late \cup {attempt[a].object} /\ UNCHANGED job
     \/ UNCHANGED <<job, late>>
  /\ UNCHANGED <<object, up, wf, signal, begunLate>>
Remove(a) ==
  /\ Is(a, {"remove"}) /\ object' = Without({attempt[a].object})
  /\ IF job.status = "tombstone" THEN To(a, "final") ELSE Reports(a, "ended")
  /\ UNCHANGED <<job, up, wf, signal, late, begunLate, budget>>
LateComplete(o) ==
  /\ o \in late /\ late' = late \ {o}
  /\ IF Processing THEN job' = Completed(o) /\ object' = Without(Named \ {o})
     ELSE UNCHANGED job /\ object' = IF job.result = o THEN object ELSE Without({o})
  /\ UNCHANGED <<up, attempt, wf, signal, begunLate, budget>>
\* Ends the open calls and cancels their tasks. One without a task is left to its process, which finds the call ended.
CancelOpen ==
  /\ job' = WithOutcome({i \in Calls : IsOpen(i)}, "cancelled")
  /\ up' = [i \in Calls |-> IF IsOpen(i) /\ job.calls[i].task /\ up[i] = "running" THEN "cancelled" ELSE up[i]]
GiveUp(a) ==   \* a final failure, or a cancellation
  /\ Is(a, {"final", "cancel"}) /\ CancelOpen
  /\ IF Is(a, {"final"}) THEN Reports(a, "final") ELSE To(a, "report")
  /\ UNCHANGED <<object, wf, signal, late, begunLate, budget>>
IsLost(a) == wf.is # "open" \/ wf.run # attempt[a].run \/ wf.current # a
LosesTemporal(a) ==   \* found at a heartbeat. A task can be asked for by another attempt, a response cannot
  /\ IsLost(a) /\ Is(a, {"list", "begin", "wait", "store"})
  /\ Tasks \/ ~Has("goesOn") \/ Is(a, {"list", "begin"})
  /\ To(a, "off") /\ UNCHANGED <<job, object, up, wf, signal, late, begunLate, budget>>
StopsEarly(a) ==   \* cancelled by Temporal, or a beat finds that the call or the job has ended
  /\ \/ ~IsLost(a) /\ wf.stop /\ Is(a, {"list", "begin", "wait", "store"})
        /\ attempt' = [attempt EXCEPT ![a].at = "cancel", ![a].report = "cancelled"]
     \/ Is(a, {"wait"}) /\ ~(Processing /\ IsOpen(attempt[a].call)) /\ To(a, "list")
  /\ UNCHANGED <<job, object, up, wf, signal, late, begunLate, budget>>
Crash(a) ==
  /\ ~Is(a, {"unused", "off"}) /\ Fault("crash") /\ To(a, "off")
  /\ UNCHANGED <<job, object, up, wf, signal, late, begunLate>>

-----------------------------------------------------------------------------
(* The workflow *)
Open(step) == wf.is = "open" /\ wf.step = step
StartAttempt ==
  /\ Open("render") /\ wf.current = None /\ ~wf.stop
  /\ LET unused == {a \in Attempts : Is(a, {"unused"})} next == CHOOSE a \in unused : \A b \in unused : a <= b IN
     IF unused = {} THEN wf' = [wf EXCEPT !.step = "fail"] /\ UNCHANGED attempt
     ELSE /\ wf' = [wf EXCEPT !.current = next]
          /\ attempt' = [attempt EXCEPT ![next].at = "check", ![next].run = wf.run,
                                        ![next].checks = wf.run > 1 \/ \E b \in Attempts : attempt[b].run = wf.run]
  /\ UNCHANGED <<job, object, up, signal, late, begunLate, budget>>
Report(a) ==
  /\ Is(a, {"report"}) /\ To(a, "off")
  /\ wf' = IF IsLost(a) \/ wf.step # "render" THEN wf
           ELSE CASE attempt[a].report = "ended" -> [wf EXCEPT !.step = "cancelCalls"]
                  [] attempt[a].report = "result" -> [wf EXCEPT !.step = "complete", !.object = attempt[a].object]
                  [] attempt[a].report = "retry" -> [wf EXCEPT !.current = None]
                  [] OTHER -> [wf EXCEPT !.step = "fail"]
  /\ UNCHANGED <<job, object, up, signal, late, begunLate, budget>>
HeartbeatTimeout ==   \* the attempt is gone, or late and goes on
  /\ Open("render") /\ wf.current # None
  /\ IF Is(wf.current, {"off"}) THEN UNCHANGED budget ELSE ~Is(wf.current, {"report"}) /\ Fault("late")
  /\ wf' = [wf EXCEPT !.current = None] /\ UNCHANGED <<job, object, up, attempt, signal, late, begunLate>>
Stopped ==
  /\ Open("render") /\ wf.current = None /\ wf.stop /\ wf' = [wf EXCEPT !.step = "fail"]
  /\ UNCHANGED <<job, object, up, attempt, signal, late, begunLate, budget>>
FailJob ==
  /\ Open("fail") /\ job' = (IF Processing THEN Failed ELSE job)
  /\ object' = IF job.status = "tombstone" THEN object ELSE Without(Named \ {job.result})
  /\ wf' = IF job.status = "tombstone" THEN [wf EXCEPT !.is = "closed"] ELSE [wf EXCEPT !.step = "cancelCalls"]
  /\ UNCHANGED <<up, attempt, signal, late, begunLate, budget>>
CompleteJob ==
  /\ Open("complete") /\ job' = (IF Processing THEN Completed(wf.object) ELSE job)
  /\ object' = Without((Named \cup {wf.object}) \ {IF Processing THEN wf.object ELSE job.result})
  /\ wf' = IF job.status = "tombstone" THEN [wf EXCEPT !.is = "closed"] ELSE [wf EXCEPT !.step = "cancelCalls"]
  /\ UNCHANGED <<up, attempt, signal, late, begunLate, budget>>
CancelCalls ==
  /\ Open("cancelCalls") /\ CancelOpen /\ wf' = [wf EXCEPT !.is = "closed"]
  /\ UNCHANGED <<object, attempt, signal, late, begunLate, budget>>
StopArrives ==
  /\ signal /\ signal' = FALSE /\ wf' = [wf EXCEPT !.stop = @ \/ wf.is = "open"]
  /\ UNCHANGED <<job, object, up, attempt, late, begunLate, budget>>

-----------------------------------------------------------------------------
(* The reconciler, and what clients, operators and other requests do *)
Reconcile ==
  /\ Has("reconciler")
  /\ \/ Processing /\ wf.is # "open" /\ job' = Failed /\ object' = Without(Named) /\ UNCHANGED up
     \/ ~Processing /\ (\E i \in Calls : IsOpen(i)) /\ CancelOpen /\ UNCHANGED object
  /\ UNCHANGED <<attempt, wf, signal, late, begunLate, budget>>
Terminate ==
  /\ wf.is = "open" /\ Fault("terminate") /\ wf' = [wf EXCEPT !.is = "terminated"]
  /\ UNCHANGED <<job, object, up, attempt, signal, late, begunLate>>
Reset ==
  /\ Fault("reset")
  /\ wf' = [wf EXCEPT !.is = IF job.status = "tombstone" THEN "closed" ELSE "open", !.run = @ + 1, !.step = "render",
                      !.current = None, !.stop = FALSE, !.object = None]
  /\ UNCHANGED <<job, object, up, attempt, signal, late, begunLate>>
OperatorCancels ==
  /\ Processing /\ Fault("stop") /\ signal' = TRUE /\ UNCHANGED <<job, object, up, attempt, wf, late, begunLate>>
LoseSignal ==
  /\ signal /\ Fault("lost") /\ signal' = FALSE /\ UNCHANGED <<job, object, up, attempt, wf, late, begunLate>>
ClientCancels ==
  /\ Processing /\ job.calls = <<>> /\ Fault("cancel") /\ job' = [Failed EXCEPT !.byClient = TRUE] /\ signal' = TRUE
  /\ UNCHANGED <<object, up, attempt, wf, late, begunLate>>
Delete ==
  /\ job.status \in {"completed", "failed"} /\ Fault("delete")
  /\ job' = [job EXCEPT !.status = "deleted", !.result = None]
  /\ object' = Without({job.result} \cup Named) /\ UNCHANGED <<up, attempt, wf, signal, late, begunLate>>
Void ==
  /\ job.status \in {"processing", "completed", "failed"} /\ Fault("void")
  /\ job' = [job EXCEPT !.status = "tombstone", !.result = None, !.voids = IF job.status = "failed" THEN @ ELSE @ + 1]
  /\ object' = Without({job.result} \cup Named) /\ UNCHANGED <<up, attempt, wf, signal, late, begunLate>>

-----------------------------------------------------------------------------
Own(a) == \/ Check(a) \/ List(a) \/ Begin(a) \/ Submit(a) \/ Name(a) \/ Wait(a) \/ Store(a) \/ RecordOutcome(a)
          \/ Complete(a) \/ Remove(a) \/ GiveUp(a) \/ Report(a)
Workflow == StartAttempt \/ HeartbeatTimeout \/ Stopped \/ FailJob \/ CompleteJob \/ CancelCalls
Next ==
  \/ \E a \in Attempts : Own(a) \/ NotSent(a) \/ CompleteTimesOut(a) \/ LosesTemporal(a) \/ StopsEarly(a) \/ Crash(a)
  \/ (\E o \in late : LateComplete(o)) \/ Workflow \/ StopArrives \/ Reconcile
  \/ Terminate \/ Reset \/ OperatorCancels \/ LoseSignal \/ ClientCancels \/ Delete \/ Void
Fair == /\ WF_vars(Workflow) /\ WF_vars(StopArrives) /\ WF_vars(Reconcile)
        /\ \A a \in Attempts : WF_vars(Own(a)) /\ WF_vars(LateComplete(a))
Spec == Init /\ [][Next]_vars /\ Fair

-----------------------------------------------------------------------------
(* What must hold *)
Quiet == /\ (\A a \in Attempts : Is(a, {"unused", "off"})) /\ wf.is # "open" /\ late = {} /\ ~signal
         /\ Has("reconciler") => ~Processing /\ \A i \in Calls : ~IsOpen(i)
OneEnd ==
  CASE job.status \in {"processing", "completed"} -> job.refunds = 0 /\ job.voids = 0
    [] job.status = "failed" -> job.refunds = 1 /\ job.voids = 0
    [] job.status = "tombstone" -> job.refunds + job.voids = 1
    [] OTHER -> job.refunds <= 1 /\ job.voids = 0
ResultIsThere == /\ (job.result # None) = (job.status = "completed")
                 /\ job.result # None => object[job.result] = "stored"
Paid == Cardinality({i \in 1..Len(up) : up[i] # "unsent"})
PaidTwiceAtMost == Paid <= 2
PaidOnce == Paid <= 1
NoCallAfterEnd == ~begunLate
CancelledUnasked == job.byClient => job.calls = <<>>
NoTaskLeft == Quiet /\ Tasks => \A i \in 1..Len(up) : up[i] # "running"
NoResultLeft == Quiet => \A a \in Attempts : object[a] = "stored" => job.result = a
NoNamedResultLeft == Quiet /\ job.status = "failed" =>
                       \A i \in Calls : job.calls[i].result # None => object[job.calls[i].result] # "stored"
AllEnd == <>[](Quiet /\ ~Processing)
=============================================================================
