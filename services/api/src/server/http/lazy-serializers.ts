import { SerializerSelector } from '@fastify/fast-json-stringify-compiler'

const buildCompiler = SerializerSelector()

/**
 * Returns a compiler of serializers for Fastify that compiles each serializer at its first use. Compiling the serializers of all
 * responses would take most of the CPU time of a start, and most processes use only a few serializers.
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
