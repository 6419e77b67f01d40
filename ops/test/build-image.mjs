// Runs the steps of the Dockerfile in folders instead of container layers.
import { execFileSync } from 'node:child_process'
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmdirSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { run } from './container.mjs'
import { copyContext, copyLikeDocker } from './docker-context.mjs'
import { parseDockerfile, readPairs } from './dockerfile.mjs'

/** Returns the root folder of the last stage, and what the image says about how to run it. */
export async function buildImage(repository, { cache, folder, log }) {
  const context = join(folder, 'context')
  copyContext(repository, context)
  const built = new Map()
  const stages = parseDockerfile(readFileSync(join(repository, 'Dockerfile'), 'utf8'))
  for (const [index, { base, name = `stage-${index}`, instructions }] of stages.entries()) {
    log(`stage ${name}, from ${base}`)
    const parent = built.get(base) ?? { root: createBase(base, { cache, log }), config: emptyConfig() }
    const stage = { root: join(folder, name), config: structuredClone(parent.config) }
    execFileSync('cp', ['-a', '--reflink=auto', parent.root, stage.root])
    for (const instruction of instructions) await execute(stage, instruction, { built, context, log })
    built.set(name, stage)
  }
  return [...built.values()].at(-1)
}

const emptyConfig = () => ({ env: {}, folder: '/', user: 'root', entrypoint: [], command: [] })

async function execute({ root, config }, { name, flags, value }, { built, context, log }) {
  const within = (path) => join(root, path.startsWith('/') ? path : join(config.folder, path))
  switch (name) {
    case 'WORKDIR':
      config.folder = value
      return void mkdirSync(join(root, value), { recursive: true })
    case 'COPY': {
      const words = value.split(/\s+/)
      const target = words.pop()
      const from = flags.from === undefined ? context : built.get(flags.from).root
      const sources = words.map((path) => join(from, path))
      return copyLikeDocker(sources, target.endsWith('/') ? join(within(target), '/') : within(target))
    }
    case 'RUN':
      log(`  ${value}`)
      return runStep(root, value, config)
    case 'ENV':
      return void Object.assign(config.env, readPairs(value))
    case 'LABEL':
    case 'EXPOSE':
      return
    case 'USER':
      config.user = value
      return
    case 'HEALTHCHECK':
      config.healthcheck = value
      return
    case 'ENTRYPOINT':
      config.entrypoint = value
      return
    case 'CMD':
      config.command = value
  }
}

async function runStep(root, script, config) {
  const settings = networkSettings(config.env)
  await run(root, ['/bin/sh', '-c', script], { ...config, ...settings })
  for (const folder of Object.values(settings.mounts)) rmdirSync(join(root, folder))
}

/** How this machine reaches the npm registry. A container engine has its own settings for it. */
function networkSettings(env) {
  const { NODE_EXTRA_CA_CERTS: certificates, HTTPS_PROXY, HTTP_PROXY, NO_PROXY } = process.env
  const mounts = { [npmConfig('cache')]: '/tmp/npm-cache' }
  if (certificates) mounts[join(certificates, '..')] = '/tmp/certificates'
  const settings = {
    npm_config_registry: npmConfig('registry'),
    npm_config_cache: '/tmp/npm-cache',
    npm_config_update_notifier: 'false',
    NODE_EXTRA_CA_CERTS: certificates && join('/tmp/certificates', certificates.split('/').at(-1)),
    ...{ HTTPS_PROXY, HTTP_PROXY, NO_PROXY },
  }
  const used = Object.entries(settings).filter(([, value]) => value)
  return { env: { ...env, ...Object.fromEntries(used) }, mounts }
}

const npmConfig = (name) => execFileSync('npm', ['config', 'get', name], { encoding: 'utf8', stdio: 'pipe' }).trim()

/**
 * A root folder like that of the official Node image: a minimal Debian, with Node and npm from the npm registry. It is
 * made once and kept.
 */
function createBase(image, { cache, log }) {
  const [, major, suite] = /^node:(\d+)-(\w+)-slim$/.exec(image) ?? []
  if (!major) throw new Error(`Dockerfile: the base "${image}" is not supported by ops/test/build-image.mjs.`)
  const finished = join(cache, `${image.replace(':', '-')}-${process.arch}`)
  if (existsSync(finished)) return finished
  log(`  Debian ${suite} with Node ${major}; this is done once and kept in ${cache}`)
  const root = `${finished}.unfinished`
  rmSync(root, { recursive: true, force: true })
  mkdirSync(cache, { recursive: true })
  execFileSync('mmdebstrap', ['--quiet', '--variant=minbase', suite, root], { stdio: 'pipe' })
  unpack(`node-linux-${process.arch}@${major}`, join(root, 'opt/node'))
  copyFileSync(join(root, 'opt/node/bin/node'), join(root, 'usr/local/bin/node'))
  rmSync(join(root, 'opt/node'), { recursive: true })
  unpack('npm@10', join(root, 'usr/local/lib/node_modules/npm'))
  for (const name of ['npm', 'npx']) {
    symlinkSync(`../lib/node_modules/npm/bin/${name}-cli.js`, join(root, 'usr/local/bin', name))
  }
  copyFileSync('/etc/resolv.conf', join(root, 'etc/resolv.conf'))
  writeFileSync(join(root, 'etc/hosts'), '127.0.0.1 localhost\n::1 localhost\n')
  renameSync(root, finished)
  return finished
}

/** Unpacks the newest package of the npm registry that fits. */
function unpack(name, target) {
  mkdirSync(target, { recursive: true })
  const packed = execFileSync('npm', ['pack', '--silent', '--json', name], {
    cwd: target,
    encoding: 'utf8',
    stdio: 'pipe',
  })
  const file = join(target, JSON.parse(packed)[0].filename)
  execFileSync('tar', ['-xzf', file, '--strip-components=1', '--no-same-owner', '-C', target])
  rmSync(file)
}
