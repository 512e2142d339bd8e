// Decodes pictures for the api in a separate process, so that a crash affects only one call. This file is JavaScript, because a
// TypeScript loader would quadruple the memory. Usage: node decode.mjs MAX_BYTES MAX_PIXELS MAX_CPU_SECONDS
// Standard input contains one task at a time: the number of the task, the width or longest side (0: original size), the length of
// the picture, and the picture. Each number has 32 bits, little-endian.
// Standard output contains for each task: the status (1 done, 0 refused), the length of the answer (32 bits), and the answer. The
// first answer reports that the process is ready.
import { writeFileSync } from 'node:fs'
import { setPriority } from 'node:os'
import process from 'node:process'
import sharp from 'sharp'

const inspect = 1
const convert = 2
const check = 3
const convertToJpeg = 4
const convertToPng = 5
const taskHeadBytes = 12
const maxWebpSidePx = 16_383
const watchMs = 10

const [maxBytes, maxPixels, maxCpuSeconds] = process.argv.slice(2).map(Number)

const end = () => process.kill(process.pid, 'SIGKILL')

/** Lowers the priority, so that requests of players run first. If memory runs out, the system kills this process first. */
const stepBack = () => {
  try {
    setPriority(5)
    writeFileSync('/proc/self/oom_score_adj', '1000')
  } catch {
    // Ignore the error: the settings are optional, and only Linux supports `oom_score_adj`.
  }
}

sharp.cache(false)
sharp.concurrency(1)
// Only pictures of the accepted formats can be opened. SVG and TIFF are blocked.
sharp.block({ operation: ['VipsForeignLoad'] })
sharp.unblock({
  operation: ['Jpeg', 'Png', 'Webp', 'Nsgif', 'Heif'].map((format) => `VipsForeignLoad${format}Buffer`),
})

const open = (picture, limitInputPixels = maxPixels) => sharp(picture, { limitInputPixels, failOn: 'error' })

/** Returns the picture in upright orientation. If a side is longer than the maximum, the picture is reduced. */
const fitInto = (picture, sidePx) =>
  open(picture).autoOrient().resize(sidePx, sidePx, { fit: 'inside', withoutEnlargement: true })

const tasks = {
  async [inspect](picture) {
    const { format, width, height, pages, isProgressive, depth, channels } = await open(picture, false).metadata()
    return Buffer.from(JSON.stringify({ format, width, height, frames: pages ?? 1, isProgressive, depth, channels }))
  },
  async [convert](picture, width) {
    const sized = width === 0 ? fitInto(picture, maxWebpSidePx) : open(picture).autoOrient().resize(width)
    return sized.webp().toBuffer()
  },
  async [convertToJpeg](picture, sidePx) {
    return fitInto(picture, sidePx).flatten({ background: '#ffffff' }).toColourspace('srgb').jpeg({ quality: 85 }).toBuffer()
  },
  async [convertToPng](picture, sidePx) {
    return fitInto(picture, sidePx).toColourspace('srgb').png({ compressionLevel: 9 }).toBuffer()
  },
  async [check](picture) {
    await open(picture).resize(1).raw().toBuffer()
    return Buffer.alloc(0)
  },
}

const answer = (status, content) => {
  const head = Buffer.alloc(5)
  head.writeUInt8(status)
  head.writeUInt32LE(content.length, 1)
  process.stdout.write(head)
  process.stdout.write(content)
}

/**
 * Ends this process when it exceeds its limits.
 * @returns a function that stops the watch
 */
const watchUse = (task) => {
  const before = process.cpuUsage()
  // Reading the header of a normal picture takes about a millisecond, so this task gets only 5 % of the time limit.
  const maxCpuMicros = maxCpuSeconds * 1e6 * (task === inspect ? 0.05 : 1)
  const look = () => {
    const { user, system } = process.cpuUsage(before)
    if (process.memoryUsage.rss() > maxBytes || user + system > maxCpuMicros) end()
  }
  const timer = setInterval(look, watchMs)
  return () => clearInterval(timer)
}

const work = async (task, width, picture) => {
  const endWatch = watchUse(task)
  try {
    answer(1, await tasks[task](picture, width))
  } catch {
    // The answer contains no reason. In every case, the user can only choose another picture.
    answer(0, Buffer.alloc(0))
  } finally {
    endWatch()
  }
}

let chunks = []
let receivedBytes = 0
const take = (chunk) => {
  chunks.push(chunk)
  receivedBytes += chunk.length
  if (receivedBytes < taskHeadBytes) return
  const head = chunks.length === 1 || chunks[0].length >= taskHeadBytes ? chunks[0] : Buffer.concat(chunks)
  if (receivedBytes < taskHeadBytes + head.readUInt32LE(8)) return
  const whole = Buffer.concat(chunks)
  chunks = []
  receivedBytes = 0
  void work(whole.readUInt32LE(0), whole.readUInt32LE(4), whole.subarray(taskHeadBytes))
}

stepBack()
// End this process when the api ends, even if the api was killed.
process.stdin.on('end', end)
process.stdin.on('error', end)
process.stdout.on('error', end)
process.stdin.on('data', take)
answer(1, Buffer.alloc(0))
