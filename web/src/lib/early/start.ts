import { rememberedLanguage } from '../languages.ts'
import { type EarlyTable, loadEarly } from './early-loads.ts'

declare const __EARLY__: EarlyTable

loadEarly(__EARLY__, document.currentScript?.nonce ?? '')

// The browser needs a long time to create its first formatter, so create one while the files load.
setTimeout(() => new Intl.NumberFormat(rememberedLanguage()).format(0))
