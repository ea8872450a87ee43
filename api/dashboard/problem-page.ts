// The page in place of one that the API refused, inside the frame.
import { html } from '../../shared/html.ts'
import type { Problem, Shown, Visit } from './page.ts'
import { panelError } from './parts/panel.ts'

/** Status, sentence and request of the refusal; a missing resource reads like an unknown page. */
export function problemPage(visit: Visit, problem: Problem): Shown {
  const { status } = problem
  if (status === 404)
    return {
      title: 'Nothing here',
      status,
      content: html`<header class="head"><h1>Nothing here</h1></header><p>${visit.environment === 'live' ? 'Live' : 'The sandbox'} of ${visit.member.tenantName} has no such resource. An id belongs to one environment.</p>`,
    }
  const title = status === 403 ? 'Not for your role' : 'This did not work'
  return {
    title,
    status: status === 0 ? 200 : status,
    content: html`<header class="head"><h1>${title}</h1></header>${panelError(problem)}<p class="soft">${status === 403 ? 'You are ' + visit.member.role + ' of ' + visit.member.tenantName + '. An owner or admin can give you another role.' : 'Nothing was changed by this call. Go back, or load the page again.'}</p>`,
  }
}
