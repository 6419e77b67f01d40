import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { brotliCompressSync, constants } from 'node:zlib'
import react from '@vitejs/plugin-react'
import { defaultClientConditions, defineConfig, type Plugin } from 'vite'

/** Writes a Brotli file next to each asset, so that the service does not compress at run time. */
function brotliAssets(): Plugin {
  let folder = ''
  return {
    name: 'brotli-assets',
    configResolved({ build }) {
      folder = join(build.outDir, 'assets')
    },
    closeBundle() {
      for (const name of readdirSync(folder)) {
        const params = { [constants.BROTLI_PARAM_QUALITY]: 9 }
        writeFileSync(join(folder, `${name}.br`), brotliCompressSync(readFileSync(join(folder, name)), { params }))
      }
    },
  }
}

export default defineConfig({
  base: '/console/',
  // The packages of this repository are used from their sources, without a build.
  resolve: { conditions: ['source', ...defaultClientConditions] },
  plugins: [react(), brotliAssets()],
  // The service replaces this placeholder by the nonce that the Content-Security-Policy allows for styles.
  html: { cspNonce: '__style_nonce__' },
  build: {
    emptyOutDir: true,
    target: 'es2022',
    // No inlined assets: the Content-Security-Policy allows own files only.
    assetsInlineLimit: 0,
    // The service serves the fonts for the hosted pages and the console.
    rolldownOptions: { external: [/^\/assets\//] },
    modulePreload: { polyfill: false },
    chunkSizeWarningLimit: 800,
  },
})
