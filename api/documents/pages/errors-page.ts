// The page of errors: every code with its cause, its cure and the fields that it carries.
import { ERRORS } from '../../../shared/error-catalog.ts'
import { ERROR_FIELDS, fieldsOfError } from '../../../shared/error-fields.ts'
import { ERROR_REFERENCE } from '../../../shared/error-reference.ts'
import { type Html, html } from '../../../shared/html.ts'
import { exampleError } from '../error-schema.ts'
import { CODES_BY_STATUS } from '../operation.ts'
import { code, type Page, prose } from './layout.ts'

export function errorsPage(): Page {
  const body = html`<h1>Errors</h1>
<p class="lead">Programs read <code>error.code</code>; people read <code>error.message</code>. <code>error.request_id</code> names the request in our log, and <code>error.doc_url</code> leads to the entry of the code on this page.</p>
${code(JSON.stringify(exampleError('invalid_state'), null, 2))}
<p>Repeat a call after 429, 503 and 409 <code>idempotency_key_in_use</code>, not before <code>Retry-After</code>. Every other refusal needs another request.</p>
${[...CODES_BY_STATUS]
  .sort(([a], [b]) => a - b)
  .map(
    ([status, codes]) => html`<h2 id="${'status-' + status}">${status}</h2>
${codes.map(errorEntry)}`,
  )}`
  return { path: '/docs/errors', title: 'Errors', body }
}

function errorEntry(name: keyof typeof ERRORS): Html {
  const { type, message } = ERRORS[name]
  const { cause, cure } = ERROR_REFERENCE[name]
  const fields = fieldsOfError(name)
  return html`<section class="error" id="${name}">
<h3><a href="#${name}"><code>${name}</code></a> <span class="type">${type}</span></h3>
<p>${message}</p>
<dl class="why"><dt>Cause</dt><dd>${prose(cause)}</dd><dt>Cure</dt><dd>${prose(cure)}</dd>${
    fields.length === 0
      ? null
      : html`<dt>Fields</dt><dd>${fields.map((field) => html`<p><code>${field}</code> <span class="type">${ERROR_FIELDS[field].type}</span> ${ERROR_FIELDS[field].about}</p>`)}</dd>`
  }</dl>
</section>`
}
