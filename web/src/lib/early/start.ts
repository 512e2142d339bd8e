import { getSelectedLanguage } from '../languages.ts'
import { type EarlyTable, requestPageFilesEarly } from './early-loads.ts'

declare const __EARLY__: EarlyTable

requestPageFilesEarly(__EARLY__, document.currentScript?.nonce ?? '')

// The browser needs a long time to create its first formatter, so create one while the files load.
setTimeout(() => new Intl.NumberFormat(getSelectedLanguage()).format(0))
