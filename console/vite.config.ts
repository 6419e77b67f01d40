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

/**
 * A page takes a few files, because each file costs a request. What three or more parts share is in one file. The
 * sign-in has its own, because it starts before the others are loaded.
 */
const CHUNKS = [
  {
    name: 'session',
    test: /\/(node_modules\/oauth4webapi|sdk\/client|console\/src\/(session|languages\/catalog|api\/(api|preload|connection)))/,
    priority: 2,
  },
  { name: 'shared', minShareCount: 3, priority: 1 },
  { name: 'shared', test: /console\/src\/(ui|text)\/(?!libraries|snippets)/, minShareCount: 2, priority: 1 },
]

/** Lets the browser load the main parts together with the entry, which imports them only when it runs. */
function preloadRoot(): Plugin {
  return {
    name: 'preload-root',
    transformIndexHtml: {
      order: 'post',
      handler(html, { bundle }) {
        const chunks = Object.values(bundle ?? {}).flatMap((file) => (file.type === 'chunk' ? [file] : []))
        const root = chunks.find(({ facadeModuleId }) => facadeModuleId?.endsWith('/src/root.tsx'))
        if (!root) return []
        const scripts = [root.fileName, ...root.imports].map((file) => ({ rel: 'modulepreload', file }))
        const styles = [...(root.viteMetadata?.importedCss ?? [])].map((file) => ({
          rel: 'preload',
          as: 'style',
          file,
        }))
        return [...scripts, ...styles]
          .filter(({ file }) => !html.includes(file))
          .map(({ file, ...attrs }) => ({
            tag: 'link',
            attrs: { ...attrs, crossorigin: true, href: `/console/${file}` },
            injectTo: 'head' as const,
          }))
      },
    },
  }
}

export default defineConfig({
  base: '/console/',
  // The packages of this repository are used from their sources, without a build.
  resolve: { conditions: ['latchkey-source', ...defaultClientConditions] },
  plugins: [react(), brotliAssets(), preloadRoot()],
  // The service replaces this placeholder by the nonce that the Content-Security-Policy allows for styles.
  html: { cspNonce: '__style_nonce__' },
  build: {
    emptyOutDir: true,
    target: 'es2022',
    // No inlined assets: the Content-Security-Policy allows own files only.
    assetsInlineLimit: 0,
    // The service serves the fonts for the hosted pages and the console.
    rolldownOptions: { external: [/^\/assets\//], output: { codeSplitting: { groups: CHUNKS } } },
    modulePreload: { polyfill: false },
    chunkSizeWarningLimit: 800,
  },
})
