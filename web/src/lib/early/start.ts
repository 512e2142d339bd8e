import { type EarlyTable, loadEarly } from './early-loads.ts'

declare const __EARLY__: EarlyTable

loadEarly(__EARLY__, document.currentScript?.nonce ?? '')
