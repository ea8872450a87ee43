import { test } from 'tap'
import { ROUTES } from '../../api/routes.ts'

test('every write of a tenant names what the plan has to allow', (t) => {
  const writes = ROUTES.filter(({ caller, method }) => caller === 'tenant' && method !== 'GET')
  t.ok(writes.length > 100)
  const silent = writes.filter(({ entitled }) => entitled === null)
  t.same(
    silent.map(({ method, paths }) => method + ' ' + paths[0]),
    [],
  )
  const operated = ROUTES.filter(({ caller, entitled }) => caller === 'operator' && entitled)
  t.same(operated, [], 'an operator’s call needs no plan')
  t.end()
})

test('money that moves back, endings and billing itself need no plan', (t) => {
  const free = [
    /\/(void|refund|capture|revoke|terminate|suspend|freeze|deactivate)$/,
    /\/billing\//,
  ]
  const gated = ROUTES.filter(
    ({ caller, paths, entitled }) =>
      caller === 'tenant' &&
      entitled !== null &&
      entitled !== 'always' &&
      paths.some((path) => free.some((pattern) => pattern.test(path))),
  )
  t.same(gated, [])
  t.end()
})
