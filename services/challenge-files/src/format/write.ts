import { Document, isMap, isScalar, isSeq, visit } from 'yaml'
import type { ChallengeFile } from './challenge.ts'

/**
 * Formats a challenge as the text of its file. It indents by two spaces and writes long texts as blocks.
 * @param comment lines above the content, without `#`
 */
export function formatChallengeFile(challenge: ChallengeFile, comment?: string): string {
  const document = new Document(challenge)
  if (comment !== undefined) document.commentBefore = comment
  visit(document, {
    Scalar: (_, node) => {
      if (isScalar(node) && typeof node.value === 'string' && node.value.includes('\n')) node.type = 'BLOCK_LITERAL'
    },
    Collection: (_, node) => {
      if ((isMap(node) || isSeq(node)) && node.items.length === 0) node.flow = true
    },
  })
  return document.toString({ lineWidth: 0 })
}
