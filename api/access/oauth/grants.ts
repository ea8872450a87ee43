// A tenant's view of the platforms that act for it, and the end of a connection.
import type { Page } from '../../../shared/schemas/list.ts'
import type { OauthGrant } from '../../../shared/schemas/oauth.ts'
import type { Context } from '../../context.ts'
import { mapPage } from '../../database/page.ts'
import { Refusal } from '../../http/refusal.ts'
import { write } from '../../write/write.ts'
import { endConnectionOf, findConnection, listConnections } from './grant-store.ts'
import { connectionView } from './grant-view.ts'

export async function readConnection(
  { sql, principal }: Pick<Context, 'sql' | 'principal'>,
  id: string,
): Promise<OauthGrant> {
  const row = await findConnection(sql, principal, id)
  if (row === null) throw new Refusal('resource_missing')
  return connectionView(row)
}

export async function readConnections(
  { sql, principal }: Context,
  query: Parameters<typeof listConnections>[2],
): Promise<Page<OauthGrant>> {
  return mapPage(await listConnections(sql, principal, query), connectionView)
}

/** From the answer on the platform's tokens are refused everywhere. Twice changes nothing. */
export async function revokeConnection(context: Context, id: string): Promise<OauthGrant> {
  const { principal, now } = context
  return write(
    context,
    async (sql) => {
      await endConnectionOf(sql, principal, { id, now })
      const row = await findConnection(sql, principal, id)
      if (row === null) throw new Refusal('resource_missing')
      return connectionView(row)
    },
    { safeToRepeat: true },
  )
}
