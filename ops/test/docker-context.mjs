// The build context: the files of the repository that .dockerignore lets through.
import { cpSync, lstatSync, mkdirSync, readdirSync, readFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'

/** Returns a function that says whether a path is sent to the builder. The last pattern that matches decides. */
export function readDockerignore(text) {
  const rules = text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '' && !line.startsWith('#'))
    .map((line) => ({ includes: line.startsWith('!'), pattern: toPattern(line.replace(/^!/, '')) }))
  return (path) => {
    // A pattern also applies to everything below the folder that it matches.
    const parts = path.split('/')
    const prefixes = parts.map((_part, index) => parts.slice(0, index + 1).join('/'))
    const last = rules.findLast(({ pattern }) => prefixes.some((prefix) => pattern.test(prefix)))
    return last === undefined || last.includes
  }
}

function toPattern(glob) {
  if (/[?[\]]/.test(glob)) throw new Error(`.dockerignore: "${glob}" is not supported by ops/test/docker-context.mjs.`)
  const anywhere = glob.startsWith('**/')
  const name = glob
    .slice(anywhere ? 3 : 0)
    .replace(/[.+^${}()|\\]/g, '\\$&')
    .replaceAll('*', '[^/]*')
  const source = `${anywhere ? '(?:.*/)?' : ''}${name}`
  return new RegExp(`^${source}$`)
}

/** All files of a folder, relative to it. */
function listFiles(folder, below = '') {
  return readdirSync(join(folder, below), { withFileTypes: true }).flatMap((entry) => {
    const path = join(below, entry.name)
    if (entry.isDirectory()) return ['node_modules', '.git'].includes(entry.name) ? [] : listFiles(folder, path)
    return [path]
  })
}

/** Copies what the builder would receive. */
export function copyContext(repository, target) {
  const isSent = readDockerignore(readFileSync(join(repository, '.dockerignore'), 'utf8'))
  for (const path of listFiles(repository).filter(isSent)) copyEntry(join(repository, path), join(target, path))
}

/** COPY: a file goes into a folder that ends with a slash; of a folder, the content is copied. */
export function copyLikeDocker(sources, target) {
  const isFolder = target.endsWith('/')
  if (sources.length > 1 && !isFolder) throw new Error('Dockerfile: COPY of several files needs a folder with a slash.')
  for (const source of sources) {
    const intoFolder = isFolder && !lstatSync(source).isDirectory()
    copyEntry(source, intoFolder ? join(target, basename(source)) : target)
  }
}

function copyEntry(source, target) {
  mkdirSync(dirname(target), { recursive: true })
  cpSync(source, target, { recursive: true, verbatimSymlinks: true, preserveTimestamps: true })
}
