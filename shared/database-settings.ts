// Settings of PostgreSQL: rows of the one table of settings.
import { parseDatabaseUrl } from './database-tls.ts'
import type { Result } from './result.ts'
import { integer, setting } from './setting-values.ts'

export const DATABASE_SETTINGS = {
  DATABASE_URL: setting({
    fallback: '',
    about:
      'PostgreSQL to use, 14 to 18. `npm start` runs an embedded one when it is unset; the single parts need it. `sslmode`, `sslrootcert`, `sslcert` and `sslkey` are read as libpq reads them. Several hosts with commas between them: each connection goes to the primary, again after a promotion.',
    parse: parseDatabaseUrl,
  }),
  SVC_LINK_DATABASE_URL: setting({
    fallback: '',
    about:
      'The same PostgreSQL for the engine link of the api, as a role of its own (`svc_link`); DATABASE_URL when unset.',
    parse: parseDatabaseUrl,
  }),
  SVC_DATABASE_CONNECTIONS: setting({
    fallback: '',
    about:
      'Most connections to PostgreSQL in each pool of an api, a dispatcher or a settler. Unset: 16 for requests of the api, 7 for its engine link, 9 for deliveries, 4 for jobs, 4 for the settler. `npm start` sets 3.',
    parse: (text): Result<number | null, string> =>
      text === '' ? { ok: true, value: null } : integer(2, 100)(text),
  }),
}
