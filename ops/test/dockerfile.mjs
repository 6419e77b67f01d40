// Reads a Dockerfile. It knows only the instructions that ours uses, and throws on anything else, so that a new
// instruction cannot go untested.

const FLAGS = { FROM: [], COPY: ['from'], HEALTHCHECK: ['interval', 'timeout', 'start-period', 'retries'] }
const LISTS = ['ENTRYPOINT', 'CMD', 'HEALTHCHECK']
const PLAIN = ['WORKDIR', 'COPY', 'RUN', 'ENV', 'LABEL', 'USER', 'EXPOSE']

/** Returns the stages in order, each with its base, its name and its instructions `{ name, flags, value }`. */
export function parseDockerfile(text) {
  const stages = []
  for (const { name, flags, value } of readInstructions(text)) {
    if (name === 'FROM') {
      const [, base, stage] = /^(\S+)(?: AS (\S+))?$/.exec(value) ?? fail(`FROM ${value}`)
      stages.push({ base, name: stage, instructions: [] })
    } else {
      const stage = stages.at(-1) ?? fail(`${name} before FROM`)
      stage.instructions.push({ name, flags, value: LISTS.includes(name) ? readList(name, value) : value })
    }
  }
  return stages
}

function readInstructions(text) {
  const lines = text.split('\n').filter((line) => !/^\s*(?:#|$)/.test(line))
  return lines
    .join('\n')
    .replace(/\\\n\s*/g, '')
    .split('\n')
    .map((line) => {
      const [, name, rest] = /^([A-Z]+) (.+)$/.exec(line) ?? fail(line)
      if (!(name in FLAGS) && !LISTS.includes(name) && !PLAIN.includes(name)) fail(name)
      const flags = {}
      const value = rest.replace(/^(?:--\S+\s+)+/, (found) => {
        for (const [, flag, setting] of found.matchAll(/--([a-z-]+)=(\S+)/g)) {
          if (!FLAGS[name]?.includes(flag)) fail(`${name} --${flag}`)
          flags[flag] = setting
        }
        return ''
      })
      return { name, flags, value: value.trim() }
    })
}

/** Only the exec form is allowed: a shell as process 1 would not pass signals on. */
function readList(name, value) {
  const text = name === 'HEALTHCHECK' ? value.replace(/^CMD\s+/, '') : value
  const list = text.startsWith('[') ? JSON.parse(text) : undefined
  if (!Array.isArray(list)) throw new Error(`Dockerfile: ${name} must be a JSON list (exec form).`)
  return list
}

/** `NAME=value NAME="value"` as an object. */
export const readPairs = (value) =>
  Object.fromEntries([...value.matchAll(/([\w.]+)=(?:"([^"]*)"|(\S*))/g)].map(([, name, a, b]) => [name, a ?? b]))

function fail(what) {
  throw new Error(`Dockerfile: "${what}" is not supported by ops/test/dockerfile.mjs. Add it there.`)
}
