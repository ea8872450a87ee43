// All benches in the order in which they run: a name here is a word after `npm run bench --`. The
// first claims stand first, because a first look runs as many benches from the top as fit into two
// minutes.
import { ACCESS } from './access.ts'
import { API } from './api.ts'
import { BILLING } from './billing.ts'
import { GUARD } from './budget.ts'
import { CLUSTER } from './cluster.ts'
import { COLD_START } from './cold-start.ts'
import { CORES } from './cores.ts'
import { DASHBOARD } from './dashboard.ts'
import { DELIVERY } from './delivery.ts'
import { DRAIN } from './drain.ts'
import { GROWTH } from './growth.ts'
import { ISO } from './iso.ts'
import { LATENCY, LINE } from './line/line.ts'
import type { Measured } from './measured.ts'
import { PASSES } from './passes.ts'
import { PAYMENTS } from './payments.ts'
import { PEERS } from './peers.ts'
import { SCREENING } from './screening.ts'
import { SETTLEMENT } from './settlement.ts'
import { SIGNING } from './signing.ts'
import { STEPS } from './steps.ts'
import { TAIL } from './tail.ts'
import { TENANTS_BENCH } from './tenants.ts'

export const BENCHES: readonly Measured[] = [
  LINE,
  LATENCY,
  PEERS,
  ISO,
  STEPS,
  GUARD,
  API,
  ACCESS,
  DELIVERY,
  DRAIN,
  PASSES,
  SIGNING,
  SCREENING,
  SETTLEMENT,
  PAYMENTS,
  BILLING,
  TENANTS_BENCH,
  CLUSTER,
  CORES,
  DASHBOARD,
  COLD_START,
  GROWTH,
  TAIL,
]
