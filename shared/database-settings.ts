// Settings of PostgreSQL: rows of the one table of settings.
import { parseDatabaseUrl } from './database-tls.ts'
import { setting } from './setting-values.ts'

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
}
