// Identities stand apart from memberships, also those that existed before the tables did.
import { test } from 'tap'
import { mergeIdentity } from '../../../api/access/proofs/store.ts'
import { migrate, readMigrations } from '../../../api/database/migrate.ts'
import { tx } from '../../../api/database/transaction.ts'
import { startTestApi } from '../../harness/api.ts'
import { seedPerson } from '../../harness/person.ts'
import { openUnmigratedDatabase } from '../../harness/postgres.ts'

test('an address of several tenants becomes one person without password or factor', async (t) => {
  const { sql, url } = await openUnmigratedDatabase(t)
  const migrations = readMigrations()
  const before = migrations.filter(({ number }) => number < 8)
  await migrate(url, () => {}, { migrations: before })
  for (const tenant of ['ten_1', 'ten_2'])
    await sql`insert into tenants values (${tenant}, 'T', '2026-01-01', 0)`
  const people = [
    ['user_1', 'ten_1', 'ada@a.test', 'owner'],
    ['user_2', 'ten_1', 'bob@a.test', 'member'],
    ['user_3', 'ten_2', 'ada@a.test', 'admin'],
  ] as const
  for (const [id, tenant, email, role] of people) {
    await sql`
      insert into users (id, tenant_id, email, name, role, password_hash, totp_sealed, totp_last_step, created_at)
      values (${id}, ${tenant}, ${email}, 'N', ${role}, ${'hash of ' + id}, ${'totp of ' + id}, 7, 5)`
    await sql`insert into recovery_codes (user_id, hash) values (${id}, ${Buffer.from(id)})`
  }
  await migrate(url, () => {}, { migrations })
  t.same(
    [
      ...(await sql`select id, email, password_hash, totp_sealed, verified_at from identities order by id`),
    ],
    [
      { id: 'idn_1', email: 'ada@a.test', password_hash: null, totp_sealed: null, verified_at: 5 },
      {
        id: 'idn_2',
        email: 'bob@a.test',
        password_hash: 'hash of user_2',
        totp_sealed: 'totp of user_2',
        verified_at: 5,
      },
    ],
  )
  t.same(
    [...(await sql`select id, identity_id, role from users order by id`)],
    [
      { id: 'user_1', identity_id: 'idn_1', role: 'owner' },
      { id: 'user_2', identity_id: 'idn_2', role: 'analyst' },
      { id: 'user_3', identity_id: 'idn_1', role: 'admin' },
    ],
  )
  t.same([...(await sql`select identity_id from recovery_codes`)], [{ identity_id: 'idn_2' }])
})

test('two identities that become one lose no membership that is active', async (t) => {
  const cases = [
    { first: 'owner', second: 'analyst', state: 'disabled', role: 'owner' },
    { first: 'analyst', second: 'owner', state: 'disabled', role: 'analyst' },
    { first: 'owner', second: 'analyst', state: 'active', role: 'owner' },
    { first: 'analyst', second: 'admin', state: 'active', role: 'admin' },
  ] as const
  for (const { first, second, state, role } of cases) {
    const { sql, tenant } = await startTestApi()
    const [from, into] = [
      await seedPerson(sql, tenant.tenantId, first),
      await seedPerson(sql, tenant.tenantId, second),
    ]
    await sql`update users set state = ${state} where id = ${into.id}`
    const identities = { from: from.identityId, into: into.identityId }
    await tx(sql, (inner) => mergeIdentity(inner, identities))
    const kept = await sql`
      select role, state from users where identity_id = ${into.identityId}`
    t.same([...kept], [{ role, state: 'active' }], first + ' and ' + second + ' ' + state)
  }
})
