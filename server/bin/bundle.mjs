// Makes the program out of its sources, in few files: each that is loaded costs time, at every start.
//
//   node server/bin/bundle.mjs <folder>
import { cpSync } from 'node:fs'
import { dirname, isAbsolute, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'rolldown'

/** Libraries of many small files become part of it. The others are loaded as they are installed. */
const INLINED = [
  '@formatjs/fast-memoize',
  '@formatjs/icu-messageformat-parser',
  '@formatjs/icu-skeleton-parser',
  'intl-messageformat',
  'jose',
  'kysely',
  'lru-cache',
  'otpauth',
  'preact',
  'preact-render-to-string',
  'typebox',
  'uqr',
  'uuid',
]

const isLibrary = (id) => !/^[.\0]/.test(id) && !isAbsolute(id)
const nameOf = (id) => /^(?:@[^/]+\/)?[^/]+/.exec(id)?.[0]

const server = join(dirname(fileURLToPath(import.meta.url)), '..')
const output = process.argv[2]

await build({
  cwd: server,
  // The program, and the database without it, for what measures both.
  input: { 'cli/latchkey': 'src/cli/latchkey.ts', 'db/bundled/server': 'src/db/bundled/server.ts' },
  platform: 'node',
  tsconfig: 'tsconfig.json',
  external: (id) => isLibrary(id) && !INLINED.includes(nameOf(id)),
  output: {
    dir: output,
    format: 'esm',
    entryFileNames: '[name].js',
    // As deep as most sources, which say from where they stand where else something lies.
    chunkFileNames: 'parts/[name].js',
  },
})

// What the demo starts with, for the package, which has no repository around it.
cpSync(join(server, '../demo'), join(output, 'demo'), { recursive: true })
