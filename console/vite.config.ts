import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { brotliCompressSync, constants } from 'node:zlib'
import react from '@vitejs/plugin-react'
import { defineConfig, type Plugin } from 'vite'

/** Beside each file its compressed form, so that the service compresses nothing while it serves. */
function compressed(): Plugin {
  let folder = ''
  return {
    name: 'compressed',
    configResolved({ build }) {
      folder = join(build.outDir, 'assets')
    },
    closeBundle() {
      for (const name of readdirSync(folder)) {
        const params = { [constants.BROTLI_PARAM_QUALITY]: 9 }
        writeFileSync(
          join(folder, `${name}.br`),
          brotliCompressSync(readFileSync(join(folder, name)), { params }),
        )
      }
    },
  }
}

export default defineConfig({
  base: '/console/',
  plugins: [react(), compressed()],
  // The service puts the number of the page here, under which the page allows styles that a script adds.
  html: { cspNonce: '__style_nonce__' },
  build: {
    emptyOutDir: true,
    target: 'es2022',
    // Nothing inline: the page's policy allows our own files only.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    chunkSizeWarningLimit: 800,
  },
})
