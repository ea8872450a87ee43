// The image and its compose file against the tree: files that they copy exist, secrets stay
// outside, names of settings, roles and ports agree.
import { execFileSync, spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join, matchesGlob, normalize } from 'node:path'
import { test } from 'tap'
import { parse } from 'yaml'
import { SETTINGS } from '../../shared/settings.ts'
import { deployText } from '../harness/deploy-files.ts'
import { ROOT } from './sources.ts'

interface Service {
  image?: string
  env_file?: string[]
  volumes?: string[]
  healthcheck?: { test: string[] }
}

const { services } = parse(deployText('container/compose.yaml'), { merge: true }) as {
  services: { [name: string]: Service }
}
const SECRETS = deployText('container/secrets.sh')
const EXAMPLE = deployText('container/svc.env.example')

/** Names and values of an environment file. */
function settingsOf(text: string): [name: string, value: string][] {
  return [...text.matchAll(/^([A-Z_]+)=(.*)$/gm)].map(([, name = '', value = '']) => [name, value])
}

function ignored(path: string): boolean {
  const patterns = deployText('container/Containerfile.dockerignore')
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'))
  return patterns.some((pattern) => matchesGlob(path, pattern) || path.startsWith(pattern + '/'))
}

test('the image copies files that exist, and no source of the product is left out', (t) => {
  const text = deployText('container/Containerfile')
  const copied = [...text.matchAll(/^COPY (?!--from)(.*) \S+$/gm)].flatMap(([, names = '']) =>
    names.split(' '),
  )
  t.ok(copied.length > 4)
  t.same(
    copied.filter((name) => !existsSync(join(ROOT, name))),
    [],
  )
  const tracked = execFileSync('git', ['ls-files'], { cwd: ROOT, encoding: 'utf8' }).split('\n')
  const left = tracked.filter((path) => path !== '' && ignored(path))
  t.ok(left.length > 100)
  t.same(
    left.filter((path) => !path.startsWith('test/')),
    [],
  )
  t.end()
})

test('neither Git nor the image takes the secrets of an installation', (t) => {
  const files = Object.values(services).flatMap(({ env_file: names = [] }) => names)
  t.ok(files.length > 8)
  const secret = [...new Set(files), 'tls/key.pem', 'backup/one/list.json', 'keys/one/master.key']
  for (const file of secret) {
    const path = 'deploy/container/' + file
    t.ok(ignored(path), path + ' is not copied into the image')
    const { status } = spawnSync('git', ['check-ignore', '--quiet', path], { cwd: ROOT })
    t.equal(status, 0, path + ' is not taken by Git')
  }
  t.end()
})

test('secrets.sh makes each file of settings that a service reads', (t) => {
  const made = [...SECRETS.matchAll(/> (\w+\.env)$/gm)].map(([, name = '']) => name)
  made.push(...(/cat > (\w+\.env)/.exec(SECRETS)?.slice(1) ?? []))
  for (const [name, { env_file: files = [] }] of Object.entries(services))
    t.same(
      files.filter((file) => !made.includes(file)),
      [],
      name,
    )
  for (const script of ['secrets.sh', 'passwords.sh']) {
    const { status, stderr } = spawnSync('sh', ['-n', join(ROOT, 'deploy/container', script)])
    t.equal(status, 0, script + ': ' + stderr)
  }
  t.end()
})

test('each role of a process gets the password of its address', (t) => {
  const passwords = deployText('container/passwords.sh')
  const roles = [...passwords.matchAll(/^alter role svc_(\w+) password :'\1';$/gm)].map(
    ([, name = '']) => name,
  )
  t.equal(roles.length, 6)
  const addressed = [...SECRETS.matchAll(/\(address (\w+) "\$\1"\)/g)].map(([, name = '']) => name)
  t.same(roles.toSorted(), addressed.toSorted())
  for (const role of roles) {
    t.match(deployText('postgres/roles.sql'), "'svc_" + role + "'")
    const variable = 'SVC_' + role.toUpperCase() + '_PASSWORD'
    t.match(passwords, '\\getenv ' + role + ' ' + variable + '\n')
    t.match(SECRETS, '\n' + variable + '=$' + role + '\n')
  }
  t.end()
})

test('settings of the examples exist and have values that a start takes', (t) => {
  for (const text of [EXAMPLE, deployText('systemd/svc.env')]) {
    const settings = settingsOf(text)
    t.ok(settings.length > 8)
    for (const [name, value] of settings) {
      const row = (SETTINGS as { [name: string]: (typeof SETTINGS)[keyof typeof SETTINGS] })[name]
      if (row === undefined) t.fail(name + ' is no setting')
      // The master key is the operator's to make; an authority is read from its file.
      else if (value !== '')
        t.match(row.parse(value.replace(/&sslrootcert=.*/, '')), { ok: true }, name)
    }
  }
  t.end()
})

test('health checks and Prometheus ask ports on which a service listens', (t) => {
  const configured = new Map(settingsOf(EXAMPLE))
  const portOf = (name: 'SVC_ENGINE_PORT' | 'SVC_API_PORT'): string =>
    configured.get(name) ?? SETTINGS[name].fallback
  const ports: { [service: string]: (string | undefined)[] } = {
    engine: [portOf('SVC_ENGINE_PORT')],
    api: [portOf('SVC_API_PORT'), configured.get('SVC_API_METRICS_PORT')],
    dispatcher: [configured.get('SVC_DISPATCHER_PORT')],
    settler: [configured.get('SVC_SETTLER_PORT')],
  }
  for (const [name, known] of Object.entries(ports)) {
    const [, port] = /:(\d+)\//.exec(services[name]?.healthcheck?.test.at(-1) ?? '') ?? []
    t.ok(known.includes(port), name + ' ' + port)
  }
  const targets = [...deployText('prometheus/prometheus.yml').matchAll(/'([a-z]+):(\d+)'/g)]
  t.equal(targets.length, 4)
  for (const [, name = '', port] of targets) t.ok(ports[name]?.includes(port), name + ':' + port)
  t.equal(configured.get('SVC_METRICS_HOST'), '0.0.0.0', 'Prometheus is another container')
  t.end()
})

test('files that the compose files mount exist, or the book makes them', (t) => {
  const made = ['backup', 'keys', 'tls']
  for (const file of ['compose.yaml', 'cluster.compose.yaml']) {
    const { services: all } = parse(deployText('container/' + file), { merge: true }) as {
      services: { [name: string]: Service }
    }
    const mounts = Object.values(all).flatMap(({ volumes = [] }) =>
      volumes.map((mount) => mount.split(':')[0] ?? '').filter((source) => source.startsWith('.')),
    )
    t.same(
      mounts.filter(
        (source) =>
          !made.includes(source.slice(2)) &&
          !existsSync(normalize(join(ROOT, 'deploy/container', source))),
      ),
      [],
      file,
    )
  }
  t.end()
})
