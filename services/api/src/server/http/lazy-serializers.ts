import { SerializerSelector } from '@fastify/fast-json-stringify-compiler'

const buildCompiler = SerializerSelector()

/**
 * Returns a compiler of serializers for Fastify. Each serializer is compiled at its first use, because compiling those of all
 * responses takes most of the CPU of a start, and most processes use few of them.
 */
export const buildLazySerializers: typeof buildCompiler = (schemas, options) => {
  const compile = buildCompiler(schemas, options)
  return (route) => {
    let serialize: ReturnType<typeof compile> | undefined
    return (value) => {
      serialize ??= compile(route)
      return serialize(value)
    }
  }
}
