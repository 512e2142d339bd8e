import type { ChallengeCategory } from '@capstan/contract/challenges'
import {
  Binary,
  Blocks,
  Braces,
  BrainCircuit,
  Bug,
  Crosshair,
  Fingerprint,
  Globe,
  KeyRound,
  type LucideIcon,
  Microchip,
  Puzzle,
  Smartphone,
  Telescope,
} from 'lucide-react'

/** One icon per category; its color comes from `data-category` on an element around it. */
export const categoryIcons: Readonly<Record<ChallengeCategory, LucideIcon>> = {
  Misc: Puzzle,
  Crypto: KeyRound,
  Pwn: Bug,
  Web: Globe,
  Reverse: Binary,
  Blockchain: Blocks,
  Forensics: Fingerprint,
  Hardware: Microchip,
  Mobile: Smartphone,
  PPC: Braces,
  AI: BrainCircuit,
  Pentest: Crosshair,
  OSINT: Telescope,
}

/** The categories in the order of the contract. */
export const categories = Object.keys(categoryIcons) as ChallengeCategory[]
