import { addCopyButtons } from './copy.js'
import { rememberLanguage } from './language.js'
import { followReading } from './reading.js'
import { addSearch } from './search.js'
import { addTryIt } from './try-it/try-it.js'

addSearch(document.querySelector('[data-search]'))
addCopyButtons(document)
rememberLanguage()
followReading()
addTryIt(document)
