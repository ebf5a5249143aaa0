import { openSandbox } from "./sandbox.ts";
import { scenarioJobs } from "../tools/scenarios/scenario-jobs.ts";
import { workInThread } from "../process/job-thread.ts";

workInThread(scenarioJobs(openSandbox));
