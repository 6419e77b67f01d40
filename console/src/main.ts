import { preloadData } from './api/preload.ts'
import { loadCatalog } from './languages/catalog.ts'
import { preloadPage } from './preload-page.ts'
import { ensureSignedIn } from './session/ensure-signed-in.ts'

/**
 * The entry is small, so that the sign-in starts while the rest of the console loads: React and the layout, the page in
 * the URL, and the data that every page needs.
 */
const signedIn = ensureSignedIn()
const catalog = loadCatalog()
// Modules with texts read the catalog when they are loaded.
const root = catalog.then(() => {
  preloadPage(window.location.pathname)
  return import('./root.tsx')
})
signedIn.then(preloadData, () => {})

root.then(
  ({ renderConsole }) => renderConsole(signedIn),
  () => {
    // React is missing, so that this page cannot use its texts.
    const problem = document.createElement('p')
    problem.textContent = 'The console could not be loaded. Check your connection and reload the page.'
    document.getElementById('root')?.replaceChildren(problem)
  },
)
