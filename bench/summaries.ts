// One sentence per bench, in the order in which they run. The help reads them, so this file imports
// nothing.

export const SUMMARIES: { readonly [name: string]: string } = {
  line: 'durable authorizations: throughput by connections beside the ceiling',
  latency:
    'durable authorizations: tails at half of the best load and at 5,000/s, beside the ceiling',
  peers: 'durable authorizations beside Fastify + PostgreSQL, Node + Redis, PostgreSQL alone',
  iso: 'durable authorizations over 1, 4 and 16 ISO 8583 links with many messages open, beside HTTP',
  steps: 'the cost of each step of the authorization line in process, without the device',
  budget: 'the cost of an authorization, compared with the accepted cost',
  api: 'a list of 25, a point read and a write, beside a bare Fastify and SQL handler',
  access: 'tokens refreshed, checked and revoked, sign-ins by passkey, refusals that tell nothing',
  delivery:
    'webhooks: deliveries a second, fairness between tenants, lanes, cost of a backlog, memory',
  drain: 'the cost of a journal entry in api and PostgreSQL together, beside a bare row',
  passes: 'wallet passes: a template’s change, batches, counts and lists, pushes',
  signing: 'signing and sending deliveries, in line against threads, by the size of the body',
  screening: '100,000 cardholders screened again by one dispatcher',
  settlement: 'gas of a payment in each of its forms on a real node, and the settler’s own time',
  payments:
    'payments authorized without a chain and beside cards, settled beside a bare script of batches',
  billing: 'usage counted and months closed, 10,000 at one midnight, previews, beside the drain',
  tenants:
    'what the engine adds to a tenant’s round trip, and what one that hangs does to the others',
  cluster:
    'engines over etcd beside one alone: latency, processor time, gaps at the door, three shards, catch-up, etcd’s file',
  cores: 'one engine, then two with a shard each, with the drain paused and with it running',
  dashboard: 'bytes and times of the dashboard’s pages over many rows, the feed with eight viewers',
  'cold-start': 'from the start of an engine’s process to its first answer',
  growth: 'an authorization by cards and controls, a page of a list by its rows',
  tail: 'an hour at a steady rate with snapshots, segments and changes; only with --long',
}
