// Makes the guide out of docs/, and the script of the documentation pages. The output is compressed, because it is
// stored once and browsers take it as it is.
//
//   node server/bin/guide.mjs <folder>
import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { brotliCompressSync, constants } from 'node:zlib'
import { build } from 'rolldown'
import { readGuide } from './guide-pages.mjs'

const server = join(dirname(fileURLToPath(import.meta.url)), '..')
const output = process.argv[2]

mkdirSync(output, { recursive: true })
write('pages.json', JSON.stringify(readGuide(join(server, '..'))))
write('docs.js', await bundleScript())

async function bundleScript() {
  const { output: chunks } = await build({
    input: join(server, 'src/ui/browser/docs.js'),
    platform: 'browser',
    write: false,
    output: { format: 'esm', minify: true },
  })
  return chunks[0].code
}

function write(name, text) {
  const params = { [constants.BROTLI_PARAM_QUALITY]: 10, [constants.BROTLI_PARAM_LGWIN]: 22 }
  writeFileSync(join(output, `${name}.br`), brotliCompressSync(text, { params }))
}
