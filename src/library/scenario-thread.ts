import { openSandbox } from "./sandbox.ts";
import { scenarioJobs } from "../scenarios/scenario-jobs.ts";
import { workInThread } from "../base/job-thread.ts";

workInThread(scenarioJobs(openSandbox));
