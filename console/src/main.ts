import { preloadData } from './api/preload.ts'
import { currentLanguage, loadCatalog } from './languages/catalog.ts'
import { preloadPage } from './preload-page.ts'
import { ensureSignedIn } from './session/ensure-signed-in.ts'

/** Without React, and maybe without a catalog. */
const PROBLEMS: Readonly<Record<string, string>> = {
  ar: 'تعذر تحميل لوحة التحكم. تحقق من اتصالك وأعد تحميل الصفحة.',
  de: 'Die Konsole konnte nicht geladen werden. Prüfen Sie Ihre Verbindung und laden Sie die Seite neu.',
  en: 'The console could not be loaded. Check your connection and reload the page.',
  es: 'No se pudo cargar la consola. Compruebe su conexión y recargue la página.',
  fr: 'La console n’a pas pu être chargée. Vérifiez votre connexion et rechargez la page.',
  ja: 'コンソールを読み込めませんでした。接続を確認して、ページを再読み込みしてください。',
  'pt-BR': 'Não foi possível carregar o console. Verifique sua conexão e recarregue a página.',
}

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
    const problem = document.createElement('p')
    problem.textContent = PROBLEMS[currentLanguage()] ?? PROBLEMS.en ?? ''
    document.getElementById('root')?.replaceChildren(problem)
  },
)
