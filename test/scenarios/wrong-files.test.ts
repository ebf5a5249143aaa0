import { expect, test } from "vitest";
import { formatMistake } from "../../src/base/yaml-file.ts";
import { parseScenario } from "../../src/scenarios/parse.ts";
import { scenarioContext } from "../../src/scenarios/context.ts";

const context = scenarioContext();

/** Wrong files, each with all of its mistakes: line, column, what was found and what would be right. */
const wrongFiles: [text: string, mistakes: string[]][] = [
  ["name: x\nsteps:\n\t- advance: P1D\n", ["3:1: This is not YAML: Tabs are not allowed as indentation."]],
  [
    "name: x\nname: y\nsteps: []\n",
    ["2:1: The key `name` is written twice in the same place. Keep one of them."],
  ],
  [
    "name: x\nsteps:\n  - call: listAccounts\n    call: getWebhook\n",
    ["4:5: The key `call` is written twice in the same place. Keep one of them."],
  ],
  [
    "name: x\nsteps: []\n---\nname: y\nsteps: []\n",
    ["3:1: A second document begins here. Write one scenario per file."],
  ],
  ["", ["1:1: A scenario is an object with `name` and `steps`; the file is empty."]],
  ["# nothing\n# here\n", ["1:1: A scenario is an object with `name` and `steps`; the file is empty."]],
  [
    "- call: listAccounts\n",
    ['1:1: A scenario is an object with `name` and `steps`; found [{"call":"listAccounts"}].'],
  ],
  ["hello\n", ['1:1: A scenario is an object with `name` and `steps`; found "hello".']],
  [
    "﻿name: x\r\nstep: []\r\nsteps:\r\n  - cal: listAccounts\r\n",
    [
      "2:1: `step` is not known here. Did you mean `steps`?",
      "4:5: The step has no verb; found `cal`. Did you mean `call`?",
    ],
  ],
  [
    "name: x\r\nsteps:\r\n  - call: listAcounts\r\n",
    ["3:11: There is no operation `listAcounts`. Did you mean `listAccounts`?"],
  ],
  ["name: x\nstep: []\nsteps: []\n", ["2:1: `step` is not known here. Did you mean `steps`?"]],
  ["steps: []\n", ["1:1: `name` is required."]],
  ["name: x\n", ["1:1: `steps` is required."]],
  ["name: x\nsteps: { call: listAccounts }\n", ["2:8: `steps` must be an array; found an object."]],
  [
    "name: x\nsteps:\n  - cal: listAccounts\n",
    ["3:5: The step has no verb; found `cal`. Did you mean `call`?"],
  ],
  [
    "name: x\nsteps:\n  - call: listAccounts\n    act: order.pay\n",
    ["3:5: A step has one verb; found `call` and `act`. Make a step of each."],
  ],
  [
    "name: x\nsteps:\n  - save: x\n",
    [
      "3:5: The step has no verb; found `save`. It can be `call`, `request`, `act`, `plan`, `advance`, `fault`, `receiver`, `repeat` or `expect`.",
    ],
  ],
  [
    "name: x\nsteps:\n  - listAccounts\n",
    [
      '3:5: A step is an object with one of `call`, `request`, `act`, `plan`, `advance`, `fault`, `receiver`, `repeat` or `expect`; found "listAccounts".',
    ],
  ],
  [
    "name: x\nsteps:\n  - call: createSubscripton\n    body: {}\n",
    ["3:11: There is no operation `createSubscripton`. Did you mean `createSubscription`?"],
  ],
  [
    "name: x\nsteps:\n  - act: subscription.acept\n    on: x\n",
    ["3:10: `subscription.acept` is not known here. Did you mean `subscription.accept`?"],
  ],
  [
    "name: x\nsteps:\n  - plan: scheduled-payment.setlement\n    outcomes: [SETTLED]\n",
    ["3:11: `scheduled-payment.setlement` is not known here. Did you mean `scheduled-payment.settlement`?"],
  ],
  [
    "name: x\nsteps:\n  - plan: scheduled-payment.settlement\n    outcomes: [SETLED]\n",
    ["4:16: `SETLED` is not known here. Did you mean `SETTLED`?"],
  ],
  [
    "name: x\nsteps:\n  - plan: scheduled-payment.settlement\n    outcomes: SETTLED\n",
    ["4:15: `outcomes` must be an array; found a string."],
  ],
  [
    "name: x\nsteps:\n  - plan: scheduled-payment.settlement\n    outcomes: []\n",
    ["4:15: `outcomes` must not be empty."],
  ],
  [
    "name: x\nsteps:\n  - fault: { on: webhook, effect: duplicat }\n",
    ["3:35: `duplicat` is not known here. Did you mean `duplicate`?"],
  ],
  [
    "name: x\nsteps:\n  - fault: { on: api, effect: duplicate }\n",
    [
      "3:31: `duplicate` is not known here. It can be `latency`, `error`, `reset`, `reset-before`, `unavailable`, `token-expired`, `answer-other-amount` or `event-before-commit`.",
    ],
  ],
  [
    "name: x\nsteps:\n  - fault: { on: webhook, effect: duplicate, copys: 2 }\n",
    ["3:46: `copys` is not known here. Did you mean `copies`?"],
  ],
  [
    "name: x\nsteps:\n  - fault: { on: webhook, effect: drop, copies: 2 }\n",
    [
      '3:49: There is no field "copies" of the effect drop, which takes no field of its own. The nearest are times, operation, probability, on, object, objec',
    ],
  ],
  ["name: x\nsteps:\n  - fault: { on: webhook, effect: delay }\n", ["3:12: `by` is required."]],
  ["name: x\nsteps:\n  - fault: { effect: drop }\n", ["3:12: `on` is required."]],
  [
    "name: x\nsteps:\n  - fault: { on: webhook, effect: bad-signature, form: fliped }\n",
    ["3:56: `fliped` is not known here. Did you mean `flipped`?"],
  ],
  [
    "name: x\nsteps:\n  - fault: { on: api, effect: reset, operation: listAcounts }\n",
    ['3:49: There is no operation "listAcounts". Did you mean listAccounts?'],
  ],
  [
    'name: x\nsteps:\n  - fault: { on: webhook, effect: drop, event: "SUBSCRIPTON.*" }\n',
    ['3:48: No event is called "SUBSCRIPTON.*". Did you mean SUBSCRIPTION.ERROR?'],
  ],
  [
    'name: x\nsteps:\n  - fault: { on: webhook, effect: drop, event: "SUBSCRIPTION.ACEPTED" }\n',
    ['3:48: No event is called "SUBSCRIPTION.ACEPTED". Did you mean SUBSCRIPTION.ACCEPTED?'],
  ],
  [
    'name: x\nsteps:\n  - fault: { on: webhook, effect: outage, between: ["2026-11-20T10:00:00Z"] }\n',
    ["3:52: `between` must have exactly 2 items; found 1."],
  ],
  [
    'name: x\nsteps:\n  - fault: { on: webhook, effect: outage, between: ["2026-11-20T10:00:00Z", "2026-11-20T09:00:00Z"] }\n',
    [
      '3:52: between must be two timestamps with their offsets, the earlier first, such as ["2026-11-20T09:00:00-03:00", "2026-11-20T10:00:00-03:00"]; found ',
    ],
  ],
  [
    "name: x\nsteps:\n  - fault: { on: webhook, effect: drop, probability: 2 }\n",
    ["3:54: `probability` must be at most 1; found 2."],
  ],
  [
    "name: x\nsteps:\n  - fault: { on: webhook, effect: drop, times: 0 }\n",
    ["3:48: `times` must be at least 1; found 0."],
  ],
  [
    'name: x\nsteps:\n  - fault: { on: api, effect: reset, event: "ORDER-*" }\n',
    ["3:45: A fault on the api applies to calls, which have no event. Use operation."],
  ],
  [
    "name: x\nsteps:\n  - fault: { on: webhook, effect: drop, attempt: first }\n",
    ['3:50: `attempt` must be a whole number; found "first".'],
  ],
  [
    "name: x\nsteps:\n  - fault: { on: api, effect: error, status: 200x }\n",
    ['3:46: `status` must be a whole number; found "200x".'],
  ],
  ["name: x\nsteps:\n  - fault: { on: api, effect: error }\n", ["3:12: `status` is required."]],
  ["name: x\nsteps:\n  - fault: { on: api, effect: latency }\n", ["3:12: `by` is required."]],
  [
    "name: x\nsteps:\n  - expect: { resource: { collection: subscription, id: x, is: {} } }\n",
    ["3:39: `subscription` is not known here. Did you mean `subscriptions`?"],
  ],
  [
    "name: x\nsteps:\n  - expect: { resource: { collection: subscriptions, id: x } }\n",
    ["3:25: `is` is required."],
  ],
  [
    "name: x\nassumptions: { charge.resend-dela: PT20M }\nsteps:\n  []\n",
    ["2:16: There is no assumption `charge.resend-dela`. Did you mean `charge.resend-delay`?"],
  ],
  [
    "name: x\nassumptions: { charge.resend-delay: soon }\nsteps:\n  []\n",
    [
      '2:37: The assumption charge.resend-delay is an ISO 8601 duration of at most a hundred years such as PT30M; found "soon".',
    ],
  ],
  [
    "name: x\nassumptions: { charge.resend-delay: 5 }\nsteps:\n  []\n",
    [
      "2:37: The assumption charge.resend-delay is an ISO 8601 duration of at most a hundred years such as PT30M; found 5.",
    ],
  ],
  [
    "name: x\nassumptions: { auth.header: X }\nsteps:\n  []\n",
    [
      "2:29: The assumption auth.header cannot be set: The token is sent as `Authorization: Bearer <token>`. A missing, unknown or expired token gives 401, with the header `www-authenticate: Bearer`.",
    ],
  ],
  [
    "name: x\nassumptions: [ charge.resend-delay ]\nsteps:\n  []\n",
    ["2:14: `assumptions` must be an object; found an array."],
  ],
  [
    "name: x\nsteps:\n  - call: createSubscription\n    body: { $use: subscription.montly }\n",
    ["4:19: There is no fixture `subscription.montly`. Did you mean `subscription.monthly`?"],
  ],
  [
    "name: x\nsteps:\n  - call: createSubscription\n    body: { $use: 5 }\n",
    [
      "4:19: There is no fixture `5`. The nearest are `subscription.monthly`, `subscription.fixed`, `subscription.weekly`, `subscription.immediate`, `refund.",
    ],
  ],
  [
    "name: x\nsteps:\n  - expect: { webhooks: { $lenght: 3 } }\n",
    ["3:27: `$lenght` is not known here. Did you mean `$length`?"],
  ],
  [
    "name: x\nsteps:\n  - expect: { webhooks: [ { status: x, $any: string } ] }\n",
    [
      "3:29: `status` cannot be combined with the matcher `$any`, which is about the whole value. Move one of them.",
    ],
  ],
  [
    "name: x\nsteps:\n  - expect: { webhooks: [ { event: { $any: sting } } ] }\n",
    ["3:44: `sting` is not known here. Did you mean `string`?"],
  ],
  [
    'name: x\nsteps:\n  - expect: { webhooks: [ { event: { $regex: "(" } } ] }\n',
    ['3:46: `$regex` must be a regular expression; found "(".'],
  ],
  [
    "name: x\nsteps:\n  - expect: { webhooks: [ { event: { $regex: [a] } } ] }\n",
    ["3:46: `$regex` must be a regular expression; found an array."],
  ],
  [
    "name: x\nsteps:\n  - expect: { webhooks: { $unordered: { status: x } } }\n",
    ["3:39: `$unordered` must be an array; found an object."],
  ],
  [
    "name: x\nsteps:\n  - expect: { webhooks: { $length: -1 } }\n",
    ["3:36: `$length` must be at least 0; found -1."],
  ],
  [
    "name: x\nsteps:\n  - expect: { webhooks: { $length: many } }\n",
    ['3:36: `$length` must be a whole number; found "many".'],
  ],
  [
    "name: x\nsteps:\n  - expect: { webhooks: [ { event: { $absent: yes-please } } ] }\n",
    ['3:47: `$absent` must be true or false; found "yes-please".'],
  ],
  [
    "name: x\nsteps:\n  - expect: { webhooks: [ { event: { $gt: much } } ] }\n",
    ['3:43: "much" has no order. Compare with a number, a decimal string, a date or a time.'],
  ],
  [
    "name: x\nsteps:\n  - call: createSubscription\n    body: { $usee: subscription.monthly }\n",
    ["4:13: `$usee` is not known here. Did you mean `$use`? To send such a key, write the body as a string."],
  ],
  [
    'name: x\nsteps:\n  - call: getSubscription\n    path: { id: "${sbu.id}" }\n',
    ["4:17: Nothing is saved as `sbu`. It can be `today` or `now`."],
  ],
  [
    'name: x\nsteps:\n  - call: getSubscription\n    path: { id: "${sub.id}" }\n  - call: createSubscription\n    body: { $use: subscription.monthly }\n    save: sub\n',
    ["4:17: `sub` is saved only at line 7. Save it in an earlier step."],
  ],
  [
    "name: x\nsteps:\n  - call: createSubscription\n    body: { $use: subscription.monthly }\n    save: sub\n  - act: subscription.accept\n    on: ${sud.id}\n",
    ["7:9: Nothing is saved as `sud`. Did you mean `sub`?"],
  ],
  [
    'name: x\nsteps:\n  - call: listAccounts\n    query: { limit: "${matrix.x}" }\n',
    ["4:21: Nothing is saved as `matrix.x`. It can be `today` or `now`."],
  ],
  [
    'name: x\nmatrix: { limit: [1] }\nsteps:\n  - call: listAccounts\n    query: { limit: "${matrix.limt}" }\n',
    ["5:21: Nothing is saved as `matrix.limt`. Did you mean `matrix.limit`? (Here limit=1.)"],
  ],
  [
    'name: x\nstate: s\nparams: { limit: { default: 1 } }\nsteps:\n  - call: listAccounts\n    query: { limit: "${params.limt}" }\n',
    ["6:21: Nothing is saved as `params.limt`. Did you mean `params.limit`?"],
  ],
  ['name: x\nsteps:\n  - act: order.pay\n    on: "${x.id"\n', ["4:9: `${x.id` has no closing }."]],
  [
    'name: x\nsteps:\n  - act: order.pay\n    on: "${}"\n',
    [
      "4:9: `${}` cannot be read. An expression is `${name.path}`, `${matrix.x}`, `${params.x}`, `${today + P3D}` or `${now + PT1H}`.",
    ],
  ],
  [
    'name: x\nsteps:\n  - act: order.pay\n    on: "${foo(1)}"\n',
    [
      "4:9: `${foo(1)}` cannot be read. An expression is `${name.path}`, `${matrix.x}`, `${params.x}`, `${today + P3D}` or `${now + PT1H}`.",
    ],
  ],
  [
    'name: x\nsteps:\n  - call: getSubscription\n    path: { "${x}": 1 }\n',
    [
      "4:11: The path parameter `id` is missing: the path is `/order/v1/banking/subscriptions/{id}`. Write `path: { id: … }`.",
      "4:13: `${x}` is not a path parameter of `getSubscription`. Only `id` is known.",
      "4:13: `${x}` is not known here. It can be `$use` or `$absent`. To send such a key, write the body as a string.",
    ],
  ],
  [
    "name: x\nsteps:\n  - call: listDepositBanks\n    save: banks\n  - act: order.pay\n    on: ${banks.0.}\n",
    [
      "6:9: `${banks.0.}` cannot be read. An expression is `${name.path}`, `${matrix.x}`, `${params.x}`, `${today + P3D}` or `${now + PT1H}`.",
    ],
  ],
  [
    'name: x\nstate: s\nreturns: { id: "${nope.id}" }\nsteps:\n  []\n',
    ["3:16: Nothing is saved as `nope`. Did you mean `now`?"],
  ],
  [
    'name: x\nsteps:\n  - call: createSubscription\n    body: { $use: subscription.monthly, startDate: "${today + 3days}" }\n',
    ["4:52: `3days` is not an ISO 8601 duration. Write one such as P3D, P1M or PT1H."],
  ],
  ["name: [a]\nsteps: []\n", ["1:7: `name` must be a string; found an array."]],
  ["name: x\nseed: seven\nsteps: []\n", ['2:7: `seed` must be a whole number; found "seven".']],
  ["name: x\nseed: -1\nsteps: []\n", ["2:7: `seed` must be at least 0; found -1."]],
  [
    "name: x\nstart: 2026-02-30T09:00:00Z\nsteps: []\n",
    [
      '2:8: `start` must be now, or an ISO 8601 time with its offset, such as 2026-11-20T09:00:00-03:00; found "2026-02-30T09:00:00Z".',
    ],
  ],
  [
    "name: x\nstart: 2026-02-20T09:00:00\nsteps: []\n",
    [
      '2:8: `start` must be now, or an ISO 8601 time with its offset, such as 2026-11-20T09:00:00-03:00; found "2026-02-20T09:00:00".',
    ],
  ],
  [
    "name: x\nstart: 2026-02-20\nsteps: []\n",
    [
      '2:8: `start` must be now, or an ISO 8601 time with its offset, such as 2026-11-20T09:00:00-03:00; found "2026-02-20".',
    ],
  ],
  [
    "name: x\nsteps:\n  - advance: { by: 5 minutes }\n",
    ['3:20: `by` must be an ISO 8601 duration such as PT5M, P1D or P1M; found "5 minutes".'],
  ],
  [
    "name: x\nsteps:\n  - advance: { by: P1X }\n",
    ['3:20: `by` must be an ISO 8601 duration such as PT5M, P1D or P1M; found "P1X".'],
  ],
  [
    "name: x\nsteps:\n  - advance: { by: -PT5M }\n",
    ['3:20: `by` must be an ISO 8601 duration such as PT5M, P1D or P1M; found "-PT5M".'],
  ],
  ["name: x\nsteps:\n  - advance: 5\n", ["3:14: `advance` must be a string or an object; found 5."]],
  [
    "name: x\nsteps:\n  - advance: { by: PT5M, to: 2026-12-01T00:00:00Z }\n",
    ["3:14: `advance` must have exactly one of by, to, until; found by and to."],
  ],
  ["name: x\nsteps:\n  - advance: {}\n", ["3:14: `advance` must have exactly one of by, to, until."]],
  [
    'name: x\nsteps:\n  - advance: { to: "2026-02-30T00:00:00Z" }\n',
    [
      '3:20: `to` must be an ISO 8601 time with its offset, such as 2026-11-20T09:00:00-03:00; found "2026-02-30T00:00:00Z".',
    ],
  ],
  [
    "name: x\nsteps:\n  - advance: { to: 2026-12-01 }\n",
    [
      '3:20: `to` must be an ISO 8601 time with its offset, such as 2026-11-20T09:00:00-03:00; found "2026-12-01".',
    ],
  ],
  ["name: x\nsteps:\n  - advance: { until: nxt }\n", ["3:23: `nxt` is not known here. Did you mean `next`?"]],
  [
    "name: x\nstart: 2026-11-20T09:00:00-03:00\nsteps:\n  - advance: { to: 2026-12-01T00:00:00Z }\n  - advance: { to: 2026-11-30T00:00:00Z }\n",
    [
      "5:20: 2026-11-30T00:00:00Z is in the past: the clock is at 2026-12-01T00:00:00Z or later. Time only goes forward. Restore a snapshot to go back.",
    ],
  ],
  [
    "name: x\nstart: 2026-11-20T09:00:00-03:00\nsteps:\n  - advance: { to: 2026-11-19T00:00:00Z }\n",
    [
      "4:20: 2026-11-19T00:00:00Z is in the past: the clock is at 2026-11-20T12:00:00Z or later. Time only goes forward. Restore a snapshot to go back.",
    ],
  ],
  [
    "name: x\nsteps:\n  - act: subscription.accept\n",
    ["3:10: `subscription.accept` does not name its object. Write `on: ${name.id}`."],
  ],
  ["name: x\nsteps:\n  - act: subscription.request-cancellation\n    on: a\n", ["3:5: `with` is required."]],
  [
    "name: x\nsteps:\n  - act: order.pay\n    on: a\n    with: { amont: 3 }\n",
    ["5:13: `amont` is not known here. Did you mean `amount`?"],
  ],
  [
    "name: x\nsteps:\n  - act: scheduled-payment.fail\n    on: a\n    with: { outcome: SETLEMENT_ERROR }\n",
    [
      '5:22: outcome must be one of SETTLEMENT_ERROR, INSUFFICIENT_BALANCE, ERROR; found "SETLEMENT_ERROR". Did you mean SETTLEMENT_ERROR?',
    ],
  ],
  [
    "name: x\nsteps:\n  - act: subscription.request-cancellation\n    on: a\n    with: { reason: BORED }\n",
    [
      "5:21: reason must be one of ACCOUNT_CANCELLATION, RECEIVER_COMPANY_CLOSURE, PAYER_DECEASED, CONFIRMATION_REQUEST_ERROR, FRAUD_SUSPICION, DUPLICATE_CON",
    ],
  ],
  [
    "name: x\nsteps:\n  - act: subscription.request-cancellation\n    on: a\n    with: { reason: FRAUD_SUSPICION, requestedBy: bank }\n",
    ['5:51: requestedBy must be one of payer, receiver; found "bank".'],
  ],
  ["name: x\nmatrix: {}\nsteps:\n  []\n", ["2:9: `matrix` must not be empty."]],
  ["name: x\nmatrix: { x: [] }\nsteps:\n  []\n", ["2:14: `x` must not be empty."]],
  ["name: x\nmatrix: { x: 5 }\nsteps:\n  []\n", ["2:14: `x` must be an array; found a number."]],
  [
    "name: x\nmatrix: { x: [1,2,3,4,5,6,7,8,9,10,11], y: [1,2,3,4,5,6,7,8,9,10], z: [1,2,3,4,5,6,7,8,9,10] }\nsteps:\n  []\n",
    ["2:9: The matrix has more than 1000 combinations. Make it smaller."],
  ],
  [
    "name: x\nstate: s\nparams: { x: { schema: { type: string } } }\nsteps:\n  []\n",
    ["3:14: `default` is required."],
  ],
  ["name: x\nstate: s\nparams: { x: 5 }\nsteps:\n  []\n", ["3:14: `x` must be an object; found a number."]],
  [
    "name: x\nstate: s\nparams: { x: { default: 1, schema: { type: string } } }\nsteps:\n  []\n",
    ["3:14: `x` must be a string; found 1."],
  ],
  [
    "name: x\nstate: s\nparams: { x: { default: 1, schema: { type: sting } } }\nsteps:\n  []\n",
    [
      "3:14: The `schema` of the param `x` is not a JSON Schema: schema is invalid: data/type must be equal to one of the allowed values, data/type must be a",
    ],
  ],
  [
    "name: x\nsteps:\n  - call: getSubscription\n",
    [
      "3:11: The path parameter `id` is missing: the path is `/order/v1/banking/subscriptions/{id}`. Write `path: { id: … }`.",
    ],
  ],
  [
    "name: x\nsteps:\n  - call: getSubscription\n    path: { id: a, ide: b }\n",
    ["4:20: `ide` is not a path parameter of `getSubscription`. Did you mean `id`?"],
  ],
  [
    "name: x\nsteps:\n  - call: getSubscription\n    path: { id: null }\n",
    ["4:17: `id` must be a string, a number or true or false; found null."],
  ],
  [
    "name: x\nsteps:\n  - call: getSubscription\n    path: { id: { a: 1 } }\n",
    ["4:17: `id` must be a string, a number or true or false; found an object."],
  ],
  [
    "name: x\nsteps:\n  - call: get /sandbox/health\n",
    [
      "3:11: `get /sandbox/health` cannot be called. Write a method and a path, such as `GET /sandbox/inbox`.",
    ],
  ],
  [
    "name: x\nsteps:\n  - call: GET sandbox/health\n",
    ["3:11: `GET sandbox/health` cannot be called. Write a method and a path, such as `GET /sandbox/inbox`."],
  ],
  [
    "name: x\nsteps:\n  - call: FETCH /sandbox/health\n",
    [
      "3:11: `FETCH /sandbox/health` cannot be called. Write a method and a path, such as `GET /sandbox/inbox`.",
    ],
  ],
  [
    "name: x\nsteps:\n  - call: listAccounts\n    body: { a: 1 }\n",
    ["4:5: `listAccounts` is a GET, which has no body. Did you mean `query`?"],
  ],
  ["name: x\nsteps:\n  - call: listAccounts\n    as: 5\n", ["4:9: `as` must be a string or null; found 5."]],
  [
    "name: x\nsteps:\n  - call: listAccounts\n    as: { company: acme }\n",
    ["4:9: `as` must be a string or null; found an object."],
  ],
  [
    "name: x\nsteps:\n  - call: createPayout\n    key: {}\n    body: {}\n",
    ["4:10: `key` must be a string, a number or null; found an object."],
  ],
  [
    "name: x\nsteps:\n  - call: listAccounts\n    headers: [a]\n",
    ["4:14: `headers` must be an object; found an array."],
  ],
  [
    "name: x\nsteps:\n  - call: listAccounts\n    headers: { a: [b] }\n",
    ["4:19: `a` must be a string, a number or true or false; found an array."],
  ],
  [
    'name: x\nsteps:\n  - call: listAccounts\n    headers: { "a b": c }\n',
    ["4:16: `a b` must be the name of a header, without spaces."],
  ],
  [
    "name: x\nsteps:\n  - call: listAccounts\n    query: a=1\n",
    ["4:12: `query` must be an object; found a string."],
  ],
  [
    "name: x\nsteps:\n  - call: listAccounts\n    query: { cursor: { b: 1 } }\n",
    ["4:22: `cursor` must be a string, a number, true or false or an array; found an object."],
  ],
  [
    "name: x\nsteps:\n  - expect: {}\n",
    ["3:13: `expect` must have at least one of webhooks, deliveries, resource, ledger, happened."],
  ],
  [
    "name: x\nsteps:\n  - expect: { webhook: [] }\n",
    ["3:15: `webhook` is not known here. Did you mean `webhooks`?"],
  ],
  [
    'name: x\nsteps:\n  - call: listAccounts\n    expect: { status: "200" }\n',
    ['4:23: `status` must be a whole number or null; found "200".'],
  ],
  [
    "name: x\nsteps:\n  - call: listAccounts\n    expect: { status: 2000 }\n",
    ["4:23: `status` must be at most 599; found 2000."],
  ],
  [
    "name: x\nsteps:\n  - expect: { status: 200 }\n",
    [
      "3:15: `status` is not known here. It can be `webhooks`, `deliveries`, `resource`, `ledger` or `happened`.",
    ],
  ],
  [
    "name: x\nsteps:\n  - expect: { ledger: balance }\n",
    ["3:23: `balance` is not known here. Did you mean `balanced`?"],
  ],
  [
    "name: x\nsteps:\n  - expect: [ { ledger: balanced } ]\n",
    ["3:13: `expect` must be an object; found an array."],
  ],
  [
    "name: x\nsteps:\n  - receiver: { answer: [200] }\n",
    ["3:17: `answer` is not known here. Did you mean `answers`?"],
  ],
  [
    "name: x\nsteps:\n  - receiver: { answers: 200 }\n",
    ["3:26: `answers` must be an array; found a number."],
  ],
  [
    "name: x\nsteps:\n  - receiver: { answers: [999] }\n",
    ["3:27: `answers[0]` must be at most 599; found 999."],
  ],
  [
    "name: x\nsteps:\n  - receiver: { answers: [slow] }\n",
    ["3:27: `slow` is not known here. It can be `timeout`, `refuse` or `reset`."],
  ],
  [
    "name: x\nsteps:\n  - receiver: {}\n",
    ["3:15: `receiver` must have at least one of answers, always, holds, replies."],
  ],
  ["name: x\nsteps:\n  - receiver: { answers: [ { body: x } ] }\n", ["3:28: `status` is required."]],
  ["name: x\nsteps:\n  - receiver: [200]\n", ["3:15: `receiver` must be an object; found an array."]],
  [
    'name: x\nsteps:\n  - call: listAccounts\n    save: "a b"\n',
    ['4:11: `save` must be a name of letters, digits, _ and - that begins with a letter; found "a b".'],
  ],
  [
    "name: x\nsteps:\n  - call: listAccounts\n    save: today\n",
    [
      "4:11: `today` cannot be a name for a saved answer, because expressions use it for another purpose. Choose another name.",
    ],
  ],
  [
    "name: x\nsteps:\n  - call: listAccounts\n    save: a\n  - call: listAccounts\n    save: a\n",
    ["6:11: `a` is saved at line 4 already. Choose another name."],
  ],
  [
    "name: x\nsteps:\n  - expect: { ledger: balanced }\n    save: a\n",
    ["4:5: `save` is not known here. It can be `expect`, `waitFor`, `note` or `allowUnknown`."],
  ],
  [
    "name: x\nsteps:\n  - receiver: { answers: [200] }\n    save: a\n",
    ["4:5: `save` is not known here. It can be `receiver`, `expect`, `waitFor`, `note` or `allowUnknown`."],
  ],
  [
    "name: x\nmatrix: { x: [accept, acept] }\nsteps:\n  - act: subscription.${matrix.x}\n    on: a\n",
    ["4:10: `subscription.acept` is not known here. Did you mean `subscription.accept`? (Here x=acept.)"],
  ],
  [
    'name: x\nsteps:\n  - call: createSubscription\n    body: { $use: subscription.monthly, externalId: "${a.b}" }\n',
    ["4:53: Nothing is saved as `a`. It can be `today` or `now`."],
  ],
  [
    "name: x\nsteps:\n  - call: listAccounts\n    query: { id: ${sub.id} }\n",
    [
      '4:19: This is not YAML: Unexpected flow-map-start at node end. Inside { } and [ ] an expression has to be in quotes: "${name.id}".',
    ],
  ],
  [
    "name: x\nsteps:\n  - call: listAccounts\n   query: { limit: 1 }\n",
    ["4:1: This is not YAML: Sequence item without - indicator."],
  ],
  ['name: "x\nsteps: []\n', ['3:1: This is not YAML: Missing closing "quote.']],
  ["name: x\nsteps: [*a]\n", ["2:9: `*a` has no anchor: there is no `&a` before it."]],
  [
    "name: !!js/function x\nsteps: []\n",
    ["1:7: This is not YAML: Unresolved tag: tag:yaml.org,2002:js/function."],
  ],
  ["name: x\nsteps: &a [*a]\n", ["2:12: `*a` is inside its own anchor, so it never ends."]],
  ["%YAML 9.9\n---\nname: x\nsteps: []\n", ["1:7: This is not YAML: Unsupported YAML version 9.9."]],
  [
    "name: x\n? \n: a\nsteps: []\n",
    [
      "1:1: `` is not known here. The nearest are `name`, `description`, `seed`, `start`, `fixtures`, `webhookUrl`, `origin`, `assumptions`, `matrix` or `sta",
    ],
  ],
  [
    "name: x\n? {a: b}\n: a\nsteps: []\n",
    [
      "1:1: `{ a: b }` is not known here. The nearest are `name`, `start`, `matrix`, `state`, `params`, `probe`, `deviations`, `description`, `seed` or `fixt",
    ],
  ],
  [
    "name: x\nsteps:\n  - call: constructor\n",
    ["3:11: There is no operation `constructor`. The nearest are `confirmDonor`, `confirmClaim`, "],
  ],
  ["name: x\nsteps:\n  - act: toString\n    on: a\n", ["3:10: `toString` is not known here."]],
  [
    "name: x\nsteps:\n  - plan: order.payment\n    on: 5\n    outcomes: [PAID]\n",
    ["4:9: `on` must be a string or an object; found 5."],
  ],
  [
    "name: x\nsteps:\n  - call: createPayout\n    key: 12345678901234567890\n    headers: { x-a: 0123, X-A: a }\n    body: { $use: payout.pix }\n",
    [
      "4:10: `12345678901234567890` would be sent as `12345678901234567000`, because YAML does not read it as text. Write it in quotes.",
      "5:21: `0123` would be sent as `123`, because YAML does not read it as text. Write it in quotes, or write 123.",
      "5:27: `X-A` and `x-a` are the same header. Keep one of them.",
    ],
  ],
  [
    "name: x\nsteps:\n  - call: listAccounts\n    as: “acme”\n    query: { limit: 010 }\n",
    [
      "4:9: `as` cannot be sent: a header cannot have the character U+201C. Write characters of Latin-1, on one line.",
      "5:21: `010` would be sent as `10`, because YAML does not read it as text. Write it in quotes, or write 10.",
    ],
  ],
  [
    "name: x\nsteps:\n  - call: listAccounts\n    note: [a]\n",
    ["4:11: `note` must be a string; found an array."],
  ],
];

/** Steps with a word that the platform API does not have, and what is said about it. */
const unknownWords: [step: string, mistake: string][] = [
  [
    "call: createPayout\n    body: { amuont: 1 }",
    "4:13: `amuont` is not a field of `createPayout`. Did you mean `amount`?",
  ],
  [
    "call: createSubscription\n    body: { $use: subscription.monthly, extrenalId: a }",
    "4:41: `extrenalId` is not a field of `createSubscription`. Did you mean `externalId`?",
  ],
  [
    "call: POST /order/v1/banking/order-payouts\n    body: { $use: payout.pix, amount: { currency: BRL, valu: 1 } }",
    "4:56: `valu` is not a field of `createPayout`. Did you mean `value`?",
  ],
  [
    "call: PUT /public/v1/banking/subscriptions/${today}/payments\n    body: { dueDat: x }",
    "4:13: `dueDat` is not a field of `createScheduledPayment`. Did you mean `dueDate`?",
  ],
  [
    "call: listAccounts\n    query: { limt: 1 }",
    "4:14: `limt` is not a query parameter of `listAccounts`. Did you mean `limit`?",
  ],
  [
    "call: getWebhook\n    query: { limit: 1 }",
    "4:14: `limit` is not a query parameter of `getWebhook`. It has none.",
  ],
  [
    "call: GET /sandbox/inbx?x=1",
    "3:11: There is nothing at `GET /sandbox/inbx`. Did you mean GET /sandbox/inbox?",
  ],
  [
    "call: GET /order/v1/bankng/accounts",
    "3:11: There is nothing at `GET /order/v1/bankng/accounts`. Did you mean GET /order/v1/banking/accounts?",
  ],
  [
    "call: DELETE /sandbox/inbox",
    "3:11: There is nothing at `DELETE /sandbox/inbox`. This path has only GET.",
  ],
  [
    "call: GET /sandbox/deliveries/${today}/resend",
    "3:11: There is nothing at `GET /sandbox/deliveries/${today}/resend`. This path has only POST.",
  ],
  [
    "expect: { webhooks: [{ event: SUBSCRIPTION.ACEPTED }] }",
    "3:35: There is no event `SUBSCRIPTION.ACEPTED`. Did you mean `SUBSCRIPTION.ACCEPTED`?",
  ],
  [
    "expect: { webhooks: { $not: { $unordered: [{ event: { $oneOf: [ORDER-PAYIN.PAID, ORDER-PAYN.PAID] } }] } } }",
    "3:86: There is no event `ORDER-PAYN.PAID`. Did you mean `ORDER-PAYIN.PAID`?",
  ],
  [
    "expect: { deliveries: [{ event: ORDER-PAYN.PAID }] }",
    "3:37: There is no event `ORDER-PAYN.PAID`. Did you mean `ORDER-PAYIN.PAID`?",
  ],
  [
    "call: getSubscription\n    path: { id: a }\n    expect: { body: { staus: { $not: ACTIVE } } }",
    "5:23: `staus` is not a field of the answer of `getSubscription`. Did you mean `status`?",
  ],
  [
    "call: listAccounts\n    expect: { body: { data: { $each: { $oneOf: [{ statu: ACTIVE }] } } } }",
    "4:51: `statu` is not a field of the answer of `listAccounts`. Did you mean `status`?",
  ],
];

test.each(unknownWords)("an unknown word in %j is a mistake, unless the step allows it", (step, mistake) => {
  const mistakesOf = (text: string) =>
    parseScenario(`name: x\nsteps:\n  - ${text}\n`, "a.yaml", context).mistakes.map(formatMistake);
  expect(mistakesOf(step)).toEqual([
    `a.yaml:${mistake} If this is intended, set \`allowUnknown: true\` at the step.`,
  ]);
  expect(mistakesOf(`${step}\n    allowUnknown: true`)).toEqual([]);
});

test("paths with expressions, HEAD, pages and known events are no mistakes", () => {
  const steps = [
    "call: HEAD /sandbox/inbox",
    "call: GET /pay/orders/${today}",
    "call: GET /openapi.json",
    "call: GET /sandbox/resources/payouts/${today}?x=${now}",
    'call: createPayout\n    body: "{ not json"',
    "expect: { webhooks: [{ event: { $regex: ^NOTHING } }, { event: { $not: ORDER-PAYIN.PAID } }] }",
  ];
  const { mistakes } = parseScenario(
    `name: x\nsteps:\n${steps.map((step) => `  - ${step}\n`).join("")}`,
    "a",
    context,
  );
  expect(mistakes).toEqual([]);
});

test.each(wrongFiles)("a wrong file is reported before anything runs: %j", (text, mistakes) => {
  const found = parseScenario(text, "a.yaml", context);
  expect(found.scenarios).toEqual([]);
  expect(
    found.mistakes
      .map(formatMistake)
      .map((message, index) => message.slice(0, (mistakes[index] ?? "").length + 7)),
  ).toEqual(mistakes.map((mistake) => `a.yaml:${mistake}`));
});

const bomb = ["a: &a [1, 1, 1, 1, 1, 1, 1, 1, 1, 1]"]
  .concat(
    ["b", "c", "d", "e"].map((name, index) => `${name}: &${name} [${`*${"abcd"[index]}, `.repeat(10)}]`),
  )
  .join("\n");

test("aliases that expand to too many values are reported, and not expanded", () => {
  const { mistakes } = parseScenario(`name: n\n${bomb}\nsteps: [*e]\n`, "a.yaml", context);
  expect(mistakes.map(formatMistake)).toEqual([
    "a.yaml:3:8: The aliases of this file expand to more than 1000 values. Write fewer of them, or use `matrix` for repeated scenarios.",
  ]);
});

test("a file that is not text is reported with its place", () => {
  const { mistakes } = parseScenario('name: "a\u0000b"\nsteps: []\n', "a.yaml", context);
  expect(mistakes.map(formatMistake)).toEqual([
    "a.yaml:1:9: This is not YAML: the character U+0000 is not text. Save the file as UTF-8.",
  ]);
});

test("a file that is far too long is reported without being parsed", () => {
  const { mistakes } = parseScenario(
    `name: n\nsteps:\n${"  - advance: P1D\n".repeat(700_000)}`,
    "a.yaml",
    context,
  );
  expect(mistakes[0]?.message).toContain("Split it.");
});

test("going back with an expected refusal, or after a reset, is not a mistake", () => {
  const going = (...steps: string[]) =>
    parseScenario(
      ["name: n", "start: 2026-11-20T12:00:00Z", "steps:", ...steps.map((step) => `  - ${step}`)].join("\n"),
      "a.yaml",
      context,
    ).mistakes;
  const back = "advance: { to: 2026-11-20T13:00:00Z }";
  expect(going("advance: P1D", back)).toHaveLength(1);
  expect(going("advance: P1D", `{ ${back}, expect: { status: 400 } }`)).toEqual([]);
  expect(going("advance: P1D", "call: POST /sandbox/reset", back)).toEqual([]);
});

test("a step may expect the refusal of a fault or an act", () => {
  const mistakesOf = (step: string) =>
    parseScenario(`name: n\nsteps:\n  - ${step}\n`, "a.yaml", context).mistakes;
  const act = "act: scheduled-payment.fail, on: a, with: { outcome: NONE }";
  expect(mistakesOf(`{ ${act} }`)).toHaveLength(1);
  expect(mistakesOf(`{ ${act}, expect: { status: 400 } }`)).toEqual([]);
});
