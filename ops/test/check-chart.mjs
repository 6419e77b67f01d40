// Renders the Helm chart with several values, and validates the result against the schemas of Kubernetes.
import assert from 'node:assert/strict'
import { mkdirSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { findGoTool } from './go-tools.mjs'
import { runProgram } from './programs.mjs'

const { parseAllDocuments } = createRequire(new URL('../../server/package.json', import.meta.url))('yaml')

const KUBERNETES = '1.30'
const REQUIRED = {
  image: { repository: 'registry.example.com/latchkey' },
  existingSecret: 'latchkey',
  config: { BASE_URL: 'https://id.example.com' },
}
const EVERYTHING = {
  ...REQUIRED,
  image: { ...REQUIRED.image, digest: `sha256:${'0'.repeat(64)}` },
  imagePullSecrets: [{ name: 'registry' }],
  config: { ...REQUIRED.config, TRUSTED_PROXIES: '10.0.0.0/8', WORKERS: '2', PORT: '8080', SSO_OKTA_CLIENT_ID: 'x' },
  extraEnv: [{ name: 'DATABASE_URL', valueFrom: { secretKeyRef: { name: 'database', key: 'uri' } } }],
  autoscaling: { enabled: true },
  ingress: { enabled: true, className: 'nginx', annotations: { a: 'b' }, tlsSecret: 'certificate' },
  serviceMonitor: { enabled: true, labels: { release: 'prometheus' } },
  networkPolicy: { enabled: true, from: [{ namespaceSelector: { matchLabels: { a: 'b' } } }] },
  preStopSeconds: 20,
  serviceAccountName: 'latchkey',
  podAnnotations: { a: 'b' },
  podLabels: { a: 'b' },
  nodeSelector: { a: 'b' },
  tolerations: [{ key: 'a', operator: 'Exists' }],
  affinity: { nodeAffinity: {} },
  extraVolumes: [{ name: 'geoip', configMap: { name: 'geoip' } }],
  extraVolumeMounts: [{ name: 'geoip', mountPath: '/geoip', readOnly: true }],
}
/** Values that must be refused, with a part of the message. */
const REFUSED = [
  [{ ...REQUIRED, existingSecret: '' }, 'Set existingSecret'],
  [{ ...REQUIRED, image: {} }, 'Set image.repository'],
  [{ ...REQUIRED, config: {} }, 'Set config.BASE_URL'],
  [{ ...REQUIRED, config: { ...REQUIRED.config, LOG_LEVL: 'debug' } }, 'LOG_LEVL'],
  [{ ...REQUIRED, config: { ...REQUIRED.config, DATABASE_URL: 'postgres://' } }, 'DATABASE_URL'],
  [{ ...REQUIRED, config: { ...REQUIRED.config, SESSION_TTL: 7_776_000 } }, 'SESSION_TTL'],
  [{ ...REQUIRED, replicaCount: 2 }, 'replicaCount'],
]

export const missing = (hasProgram) =>
  hasProgram('go') || (hasProgram('helm') && hasProgram('kubectl-validate'))
    ? undefined
    : 'neither helm and kubectl-validate nor Go, to compile them, are installed'

export async function check({ repository, cache, folder, log }) {
  const chart = join(repository, 'ops/helm/latchkey')
  const [helm, validate] = ['helm', 'kubectl-validate'].map((name) => findGoTool(name, { cache, log }))
  const withValues = (command, values) => {
    const file = join(folder, 'values.json')
    writeFileSync(file, JSON.stringify(values))
    return runProgram(helm, [...command, '--values', file])
  }
  const template = ['template', 'test', chart, '--kube-version', KUBERNETES]
  for (const [name, values] of Object.entries({ required: REQUIRED, everything: EVERYTHING })) {
    withValues(['lint', '--strict', chart], values)
    const rendered = withValues(template, values)
    const resources = parseAllDocuments(rendered).map((document) => document.toJS())
    // The schema of a ServiceMonitor is not part of Kubernetes.
    const builtIn = resources.filter(({ kind }) => kind !== 'ServiceMonitor')
    const target = join(folder, name)
    mkdirSync(target)
    for (const resource of builtIn) writeFileSync(join(target, `${resource.kind}.json`), JSON.stringify(resource))
    runProgram(validate, [target, '--version', KUBERNETES])
    log(`values "${name}": ${builtIn.map(({ kind }) => kind).join(', ')} are valid for Kubernetes ${KUBERNETES}`)
  }
  for (const [values, reason] of REFUSED) {
    assert.throws(() => withValues(template, values), new RegExp(reason), `${reason}: not refused`)
  }
  log(`${REFUSED.length} wrong values are refused with a reason`)
}
