// The files of deploy/ against the product: commands, flags, rules and pages that they name exist.
import { spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'tap'
import { optionalPath } from '../../shared/setting-values.ts'
import { SETTINGS } from '../../shared/settings.ts'
import { deployText, watched } from '../harness/deploy-files.ts'
import { ROOT, SOURCES } from './sources.ts'

const { scripts } = JSON.parse(deployText('../package.json')) as {
  scripts: { [name: string]: string }
}
const UNITS = ['engine', 'door', 'api', 'dispatcher', 'settler', 'migrate'] as const
/** Words that a unit adds to its command. */
const ADDED: { readonly [unit: string]: string } = {
  engine: ' --take-over',
  migrate: ' --rights',
}

/** Options of Node that a line names, without the check of Node's version. */
const optionsOf = (line: string): string[] => line.match(/--[a-z0-9-]+(=\S+?)?(?=[\s,\]]|$)/g) ?? []

test('each unit runs the script of its command with the same options of Node', (t) => {
  for (const name of UNITS) {
    const command = scripts[name] ?? ''
    const script = /\S+\.ts$/.exec(command)?.[0] ?? ''
    const unit = deployText('systemd/svc-' + name + '.service')
    const line = /^ExecStart=(.*)$/m.exec(unit)?.[1] ?? ''
    t.ok(existsSync(join(ROOT, script)), script)
    const added = ADDED[name] ?? ''
    t.ok(line.endsWith(' ' + script + added), name + ': ' + line)
    t.same(optionsOf(line.slice(0, line.length - added.length)), optionsOf(command), name)
  }
  t.end()
})

test('the engine of a take-over runs as the engine does', (t) => {
  const known = (unit: string): string =>
    deployText('systemd/' + unit + '.service')
      .replace(/^Description=.*$/m, '')
      .split('[Install]')[0]
      ?.trimEnd() ?? ''
  t.equal(known('svc-engine-next'), known('svc-engine'))
  t.end()
})

test('every unit is closed in alike', (t) => {
  const closed = (unit: string): string[] =>
    /^NoNewPrivileges=yes\n[^[]*/m
      .exec(deployText('systemd/svc-' + unit + '.service'))?.[0]
      .trim()
      .split('\n') ?? []
  t.ok(closed('engine').length > 15)
  for (const unit of UNITS) {
    t.same(closed(unit), closed('engine'), unit)
    t.match(deployText('systemd/svc-' + unit + '.service'), '\nUMask=0077\n')
  }
  t.end()
})

test('metrics that rules, dashboard and runbooks read are written in the sources', (t) => {
  const pages = readdirSync(join(ROOT, 'deploy/runbooks')).map((page) => 'runbooks/' + page)
  const files = ['recording', 'alerts', 'cluster-alerts'].map(
    (name) => 'prometheus/' + name + '.yml',
  )
  const texts = [...files, ...pages, 'grafana/svc.json', 'README.md', 'capacity.md'].map(deployText)
  const roles = [...deployText('postgres/roles.sql').matchAll(/'(svc_[a-z]+)'/g)].map(
    ([, of]) => of,
  )
  const families = new Set(
    [...texts.join('\n').matchAll(/\bsvc_[a-z_]*[a-z]\b/g)].map(([name]) =>
      name.replace(/_seconds_(bucket|count|sum)$/, '_seconds'),
    ),
  )
  const product = SOURCES.filter(({ path }) => /^(api|engine|shared|scripts)\//.test(path))
  t.ok(families.size > 50, families.size + ' names')
  t.same(
    [...families].filter(
      (name) =>
        !roles.includes(name) &&
        !product.some(({ text }) => new RegExp('[\'"`]' + name + '[\'"`{ ]').test(text)),
    ),
    [],
  )
  t.end()
})

test('svc-run is a shell script, and the commands that the books give it exist', (t) => {
  const { status, stderr } = spawnSync('sh', ['-n', join(ROOT, 'deploy/systemd/svc-run')], {
    encoding: 'utf8',
  })
  t.equal(status, 0, stderr)
  const named = [
    ...deployText('README.md').matchAll(
      /(?:svc-run |node scripts\/|^docker compose run --rm )([a-z]+)/gm,
    ),
  ].map(([, name = '']) => name)
  t.ok(named.length > 5)
  t.same(
    named.filter((name) => !existsSync(join(ROOT, 'scripts', name + '.ts'))),
    [],
  )
  t.end()
})

test('the containers of engine and api get the options of their commands', (t) => {
  const [, engine = ''] = deployText('container/compose.yaml').split('  engine:')
  const [ofEngine = '', ofApi = ''] = engine.split('  api:')
  t.same(optionsOf(ofEngine.split('command:')[0] ?? ''), optionsOf(scripts['engine'] ?? ''))
  t.same(optionsOf(ofApi.split('command:')[0] ?? ''), optionsOf(scripts['api'] ?? ''))
  t.end()
})

test('members in containers and in Kubernetes get the options of their commands', (t) => {
  const [, composed = ''] = deployText('container/cluster.compose.yaml').split('  engine:')
  const [ofEngine = '', ofApi = ''] = composed.split('  api:')
  t.same(optionsOf(ofEngine.split('command:')[0] ?? ''), optionsOf(scripts['engine'] ?? ''))
  t.same(optionsOf(ofApi.split('command:')[0] ?? ''), optionsOf(scripts['api'] ?? ''))
  const [, member = ''] = deployText('kubernetes/shard.yaml').split('- name: engine')
  const [engine = '', api = ''] = member.split('- name: api')
  t.same(optionsOf(engine.split('env:')[0] ?? ''), optionsOf(scripts['engine'] ?? ''))
  t.same(optionsOf(api.split('env:')[0] ?? ''), optionsOf(scripts['api'] ?? ''))
  t.end()
})

test('settings that the files of a cluster name exist', (t) => {
  const texts = deployText('container/cluster.compose.yaml') + deployText('kubernetes/shard.yaml')
  const named = [...texts.matchAll(/\bSVC_[A-Z_]+\b/g)].map(([name]) => name)
  t.ok(named.length > 10)
  t.same(
    named.filter((name) => !(name in SETTINGS)),
    [],
  )
  t.end()
})

test('every script that a container runs exists', (t) => {
  const texts = [
    'compose.yaml',
    'cluster.compose.yaml',
    'Containerfile',
    '../kubernetes/shard.yaml',
  ]
    .map((file) => deployText('container/' + file))
    .join('\n')
  const named = [...texts.matchAll(/[\w/.-]+\.(?:ts|cjs|js)\b/g)].map(([path]) => path)
  t.ok(named.length > 8)
  t.same(
    named.filter((path) => !existsSync(join(ROOT, path))),
    [],
  )
  t.end()
})

test('every alert has a runbook, and every runbook is reached', (t) => {
  const pages = readdirSync(join(ROOT, 'deploy/runbooks'))
  const alerts = deployText('prometheus/alerts.yml') + deployText('prometheus/cluster-alerts.yml')
  const named = [...alerts.matchAll(/runbook: ([a-z-]+)/g)].map(([, name]) => name + '.md')
  t.equal(named.length, alerts.match(/- alert: /g)?.length)
  t.same(
    named.filter((page) => !pages.includes(page)),
    [],
  )
  const links = pages.flatMap((page) =>
    [...deployText('runbooks/' + page).matchAll(/\]\(([a-z-]+\.md)\)/g)].map(([, to = '']) => to),
  )
  t.same(
    links.filter((page) => !pages.includes(page)),
    [],
  )
  t.end()
})

test('every indicator that alerts and the dashboard read is recorded', (t) => {
  const recorded = [...deployText('prometheus/recording.yml').matchAll(/record: (\S+)/g)].map(
    ([, name]) => name,
  )
  const read = watched(/\b(svc:[a-z_]+:[a-z0-9_]+|svc:[a-z_]+)\b/g)
  t.ok(read.length > 8)
  t.same(
    read.filter((name) => !recorded.includes(name)),
    [],
  )
  t.end()
})

test('files that the tables of security and data name exist; each requirement names its gap', (t) => {
  const text = ['security.md', 'asvs.md', 'pci-dss.md', 'data.md'].map(deployText).join('\n')
  const named = [
    ...text.matchAll(
      /`((?:test|api|engine|shared|bench|deploy|\.ci|\.github)[\w./-]*|[\w.-]+\.(?:md|json))`/g,
    ),
  ].map(([, path = '']) => path)
  t.ok(named.length > 40)
  t.same(
    named.filter((path) => !existsSync(join(ROOT, path))),
    [],
  )
  const rows = text.split('\n').filter((line) => /^\| (V\d|A?\d)/.test(line))
  t.ok(rows.length > 300)
  t.same(
    rows.filter((row) => row.split('|').some((cell, at) => at > 0 && at < 4 && cell.trim() === '')),
    [],
  )
  t.end()
})

/** Requirements of PCI DSS 4.0.1 with three parts in their number, by the first two. */
const PCI_DSS: { readonly [section: string]: number } = {
  ...{ 1.1: 2, 1.2: 8, 1.3: 3, 1.4: 5, 1.5: 1, 2.1: 2, 2.2: 7, 2.3: 2, 3.1: 2, 3.2: 1, 3.3: 3 },
  ...{ 3.4: 2, 3.5: 1, 3.6: 1, 3.7: 9, 4.1: 2, 4.2: 2, 5.1: 2, 5.2: 3, 5.3: 5, 5.4: 1, 6.1: 2 },
  ...{ 6.2: 4, 6.3: 3, 6.4: 3, 6.5: 6, 7.1: 2, 7.2: 6, 7.3: 3, 8.1: 2, 8.2: 8, 8.3: 11, 8.4: 3 },
  ...{ 8.5: 1, 8.6: 3, 9.1: 2, 9.2: 4, 9.3: 4, 9.4: 7, 9.5: 1, 10.1: 2, 10.2: 2, 10.3: 4 },
  ...{ 10.4: 3, 10.5: 1, 10.6: 3, 10.7: 3, 11.1: 2, 11.2: 2, 11.3: 2, 11.4: 7, 11.5: 2, 11.6: 1 },
  ...{ 12.1: 4, 12.2: 1, 12.3: 4, 12.4: 2, 12.5: 3, 12.6: 3, 12.7: 1, 12.8: 5, 12.9: 2 },
  ...{ '12.10': 7, 'A1.1': 4, 'A1.2': 3 },
}

test('each requirement of PCI DSS stands in exactly one row', (t) => {
  const rows = deployText('pci-dss.md').match(/^\| A?\d.*$/gm) ?? []
  const named = rows.flatMap((row) => row.split('|')[1]?.match(/\bA?\d+(?:\.\d+){2,}\b/g) ?? [])
  t.same(
    named.filter((number, at) => named.indexOf(number) !== at),
    [],
  )
  const wanted = Object.entries(PCI_DSS).flatMap(([section, count]) =>
    Array.from({ length: count }, (_, at) => section + '.' + (at + 1)),
  )
  t.same(
    wanted.filter((number) => !named.includes(number)),
    [],
  )
  t.end()
})

test('the page of a restore names every setting that points to a file', (t) => {
  const page = deployText('runbooks/restore.md')
  const named = [...page.matchAll(/`(SVC_[A-Z_]+)(\*?)`/g)]
  const files = Object.entries(SETTINGS)
    .filter(([, { parse }]) => parse === optionalPath)
    .map(([name]) => name)
  t.ok(files.length > 10)
  t.same(
    files.filter(
      (name) =>
        !name.endsWith('_SOCKET') &&
        !named.some(([, text = '', more]) =>
          more === '*' ? name.startsWith(text) : name === text,
        ),
    ),
    [],
  )
  t.end()
})

const PROMTOOL = spawnSync('promtool', ['--version']).error === undefined

test('the alerts fire and stay silent as their tests say', {
  skip: PROMTOOL ? false : 'promtool is not installed',
}, (t) => {
  const cwd = join(ROOT, 'deploy/prometheus')
  for (const words of [
    ['check', 'config', 'prometheus.yml'],
    ['test', 'rules', 'alerts.test.yml'],
    ['test', 'rules', 'cluster-alerts.test.yml'],
  ]) {
    const { status, stdout, stderr } = spawnSync('promtool', words, { cwd, encoding: 'utf8' })
    t.equal(status, 0, stdout + stderr)
  }
  t.end()
})

test('Prometheus takes each expression of the dashboard', {
  skip: PROMTOOL ? false : 'promtool is not installed',
}, (t) => {
  const expressions = [
    ...deployText('grafana/svc.json').matchAll(/"expr": ("(?:[^"\\]|\\.)*")/g),
  ].map(([, text = '""']) => (JSON.parse(text) as string).replaceAll('$__rate_interval', '5m'))
  t.ok(expressions.length > 30)
  const directory = mkdtempSync(join(tmpdir(), 'svc-dashboard-'))
  t.teardown(() => rmSync(directory, { recursive: true, force: true }))
  const check = (texts: readonly string[]): number | null => {
    const rules = texts.map((expr, at) => ({ record: 'svc:panel' + at, expr }))
    // JSON is YAML.
    writeFileSync(join(directory, 'rules.yml'), JSON.stringify({ groups: [{ name: 'g', rules }] }))
    return spawnSync('promtool', ['check', 'rules', join(directory, 'rules.yml')]).status
  }
  t.equal(check(expressions), 0)
  t.not(check([...expressions, 'sum by (']), 0, 'a wrong expression would be seen')
  t.end()
})
