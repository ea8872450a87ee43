// The page of one resource: its operations with all inputs and answers.
import { type Html, html } from '../../../shared/html.ts'
import { curlOf } from '../curl.ts'
import type { OpenApiDocument, Operation, Parameter, Schema } from '../document.ts'
import { fieldList, parameterList } from './fields.ts'
import { code, type Page, pathOfTag, prose } from './layout.ts'

export interface Described {
  path: string
  method: string
  operation: Operation
}

/** Every operation by its first spelling, in the order of the routes. */
export function describedOperations({ paths }: OpenApiDocument): Described[] {
  return Object.entries(paths).flatMap(([path, item]) =>
    Object.entries(item)
      .filter(([, operation]) => operation['x-svc-alias-of'] === undefined)
      .map(([method, operation]) => ({ path, method, operation })),
  )
}

export function resourcePage(document: OpenApiDocument, tag: string, root = '/docs'): Page {
  const operations = describedOperations(document).filter(({ operation }) =>
    operation.tags.includes(tag),
  )
  const body = html`<h1>${tag}</h1>
<ul class="contents">${operations.map(
    ({ method, path, operation }) =>
      html`<li><a href="#${operation.operationId}">${methodMark(method)} <code>${path}</code></a><span>${operation.summary}</span></li>`,
  )}</ul>
${operations.map((described) => operationSection(document, described))}`
  return { path: pathOfTag(tag, root), title: tag, body }
}

export function methodMark(method: string): Html {
  return html`<span class="method ${method}">${method.toUpperCase()}</span>`
}

function operationSection(document: OpenApiDocument, described: Described): Html {
  const { path, method, operation } = described
  const { schemas } = document.components
  const own = operation.parameters.filter((one): one is Parameter => 'name' in one)
  const body = operation.requestBody?.content['application/json'].schema
  const { status, answer, example, file } = answerOf(operation)
  return html`<section class="operation" id="${operation.operationId}">
<div class="words">
<h2><a href="#${operation.operationId}">${operation.summary}</a></h2>
<p class="path">${methodMark(method)} <code>${path}</code></p>
${facts(operation)}
${listed('Path', own.filter(isIn('path')), schemas)}
${listed('Query', own.filter(isIn('query')), schemas)}
${body === undefined ? null : html`<h3>Body</h3>${fieldList(body, schemas, true)}`}
${answer === null ? null : html`<details class="answer"><summary><h3>Answer</h3> <span class="status">${status}</span></summary>${fieldList(answer, schemas, false)}</details>`}
${file === null ? null : html`<p>Answers ${status} with a file: <code>${file}</code>.</p>`}
<p class="refusals">Refusals: ${refusals(operation)}</p>
</div>
<div class="shown">
<h3>Call</h3>
${code(curlOf(described))}
${answer === null ? null : html`<h3>Answer</h3>${code(JSON.stringify(example, null, 2))}`}
</div>
</section>`
}

function isIn(where: Parameter['in']) {
  return (parameter: Parameter): boolean => parameter.in === where
}

function listed(
  title: string,
  parameters: readonly Parameter[],
  schemas: OpenApiDocument['components']['schemas'],
): Html | null {
  if (parameters.length === 0) return null
  return html`<h3>${title}</h3>${parameterList(parameters, schemas)}`
}

function facts(operation: Operation): Html {
  const { 'x-svc-scope': scope, 'x-svc-family': family, 'x-svc-bucket': bucket } = operation
  const factor = operation['x-svc-factor']
  if (scope === undefined || bucket === undefined)
    return html`<ul class="facts"><li>no key</li></ul>`
  return html`<ul class="facts">
<li>scope <code>${scope}</code>${family === undefined ? null : html` or <code>${family}:${scope}</code>`}</li>
<li>bucket <code>${bucket}</code></li>
${operation['x-svc-publishable'] ? html`<li>publishable keys too</li>` : null}
${operation['x-svc-sandbox-only'] ? html`<li>sandbox only</li>` : null}
${factor === undefined ? null : html`<li>second factor: ${prose(factor)}</li>`}
</ul>`
}

function answerOf(operation: Operation): {
  status: string
  answer: Schema | null
  example: unknown
  /** Media type of an answer that is not JSON. */
  file: string | null
} {
  const status = Object.keys(operation.responses).find((one) => one.startsWith('2')) ?? '200'
  const answer = operation.responses[status] as {
    content?: { [type: string]: { schema: Schema; example?: unknown } }
  }
  const { 'application/json': json, ...files } = answer.content ?? {}
  return {
    status,
    answer: json?.schema ?? null,
    example: json?.example,
    file: Object.keys(files)[0] ?? null,
  }
}

function refusals(operation: Operation): Html[] {
  return Object.keys(operation.responses)
    .filter((status) => !status.startsWith('2'))
    .map((status) => html`<a href="/docs/errors#${'status-' + status}">${status}</a> `)
}
