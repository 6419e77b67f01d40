import { writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { Command } from 'commander'
import { generatedDocs } from './generated-docs.ts'

const FOLDER = fileURLToPath(new URL('../../../docs/', import.meta.url))

/** For contributors: writes the generated documents. */
export const docsCommand = new Command('docs').description('write the generated documents').action(() => {
  for (const [name, text] of Object.entries(generatedDocs())) writeFileSync(`${FOLDER}${name}`, text)
})
