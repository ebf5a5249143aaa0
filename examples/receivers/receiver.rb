# A receiver of webhooks with Ruby's standard library. It appends each event to a file before it answers.
#
# HOST                         its address; default: 127.0.0.1. For a sandbox in a container: 0.0.0.0
# PORT                         its port; default: 4011
# SANDBANK_WEBHOOK_SECRET      the secret of the signatures
# SANDBANK_WEBHOOK_SECRET_OLD  the previous secret during a rotation; otherwise empty
# RECEIVER_FILE                the file of events; default: only in memory
require "json"
require "openssl"
require "socket"
require "timeout"

BODY_MAX_BYTES = 4_000_000
HEAD_MAX_BYTES = 65_536
REQUEST_SECONDS = 30
OPEN = %w[INITIAL PENDING PENDING_AUTHORIZATION CREATED SCHEDULED ACCEPTED].freeze
REASONS = { 200 => "OK", 400 => "Bad Request", 401 => "Unauthorized", 404 => "Not Found",
            405 => "Method Not Allowed", 413 => "Content Too Large", 500 => "Internal Server Error" }.freeze

class Receiver
  def initialize(environment)
    @secrets = environment.values_at("SANDBANK_WEBHOOK_SECRET", "SANDBANK_WEBHOOK_SECRET_OLD")
                          .reject { |secret| secret.to_s.empty? }
    @lock = Mutex.new
    @handled = {}
    @objects = {}
    path = environment["RECEIVER_FILE"]
    return if path.nil?

    File.foreach(path) { |line| apply(JSON.parse(line)) } if File.exist?(path)
    @file = File.open(path, "a")
  end

  # The status and the body of an answer.
  def answer(method, path, signature, body)
    return [200, state] if method == "GET" && path == "/state"
    return [404, {}] unless %w[/webhooks /reset].include?(path)
    return [405, {}] unless method == "POST"
    return [413, {}] if body.nil?

    if path == "/reset"
      reset
      return [200, {}]
    end
    status = take(body, signature)
    [status, status == 200 ? { returnCode: "SUCCESS" } : {}]
  end

  private

  # Compares the digest of the received bytes in constant time. An empty secret is refused: anyone could sign with it.
  def signed?(body, header)
    @secrets.map do |secret|
      OpenSSL.secure_compare("sha256=#{OpenSSL::HMAC.hexdigest("SHA256", secret, body)}", header.to_s)
    end.any?
  end

  def take(body, signature)
    return 401 unless signed?(body, signature)

    text = body.dup.force_encoding(Encoding::UTF_8)
    event = text.valid_encoding? ? JSON.parse(text) : nil
    return 400 unless event.is_a?(Hash)

    @lock.synchronize do
      unless @handled[key(event)]
        if @file
          @file.puts(JSON.generate(event))
          @file.fsync
        end
        apply(event)
      end
    end
    200
  rescue JSON::ParserError
    400
  end

  # Two deliveries with the same key are one event.
  def key(event)
    [event["event"], facts(event)]
  end

  # Stores the status of an event, unless a newer status is known.
  def apply(event)
    @handled[key(event)] = true
    facts(event).each do |id, status, at|
      # If two events have the same time, the final status is the later one.
      rank = "#{at} #{OPEN.include?(status) ? 0 : 1} #{event["event"]}"
      known = @objects[id]
      @objects[id] = { status: status, at: at, rank: rank } if known.nil? || known[:rank] < rank
    end
  end

  # The content of an event: the status of objects at a time. A refund and a cancellation are separate objects.
  def facts(event)
    data = event["data"].is_a?(Hash) ? event["data"] : event
    at = event["occurredAt"] || event["updatedAt"]
    found = if event["type"] == "REFUND"
              [[event["refundId"], event["status"], at]]
            else
              [[data["id"], data["status"], data["updatedAt"] || at]]
            end
    cancellation = data["cancellation"]
    found << [cancellation["id"], cancellation["status"], at] if cancellation.is_a?(Hash)
    found.select { |fact| fact.all?(String) }
  end

  def state
    @lock.synchronize do
      { objects: @objects.sort.to_h.transform_values { |known| known.slice(:status, :at) } }
    end
  end

  def reset
    @lock.synchronize do
      @handled.clear
      @objects.clear
      @file&.truncate(0)
    end
  end
end

# One request of a connection: HTTP/1.1 as far as webhooks need it. Ruby has no built-in server since 3.0.
class Connection
  def initialize(socket, receiver)
    @socket = socket
    @receiver = receiver
  end

  def serve
    Timeout.timeout(REQUEST_SECONDS) do
      method, target, = @socket.gets("\r\n", HEAD_MAX_BYTES).to_s.split
      return if method.nil?

      headers = read_headers
      body = read_body(headers)
      status, answer = @receiver.answer(method, target.to_s.split("?").first, headers["x-signature-sha256"], body)
      write(status, JSON.generate(answer), method)
    end
  rescue Timeout::Error, SystemCallError, IOError
    # The sender has left or is too slow: it sends the event again.
  ensure
    @socket.close
  end

  private

  def read_headers
    headers = {}
    while (line = @socket.gets("\r\n", HEAD_MAX_BYTES)&.chomp) && !line.empty?
      name, value = line.split(":", 2)
      headers[name.downcase] = value.to_s.strip
    end
    headers
  end

  # The bytes of the body, also of a body in chunks. Nil if it is too large.
  def read_body(headers)
    unless headers["transfer-encoding"].to_s.include?("chunked")
      length = headers["content-length"].to_i
      return nil if length > BODY_MAX_BYTES

      return read_exactly(length)
    end
    body = +""
    until (size = @socket.gets("\r\n", HEAD_MAX_BYTES).to_i(16)).zero?
      return nil if body.bytesize + size > BODY_MAX_BYTES

      body << read_exactly(size)
      @socket.gets("\r\n", HEAD_MAX_BYTES)
    end
    body
  end

  def read_exactly(length)
    bytes = @socket.read(length).to_s
    raise IOError, "the body ended early" if bytes.bytesize < length

    bytes
  end

  def write(status, body, method)
    @socket.write("HTTP/1.1 #{status} #{REASONS.fetch(status)}\r\ncontent-type: application/json\r\n" \
                  "content-length: #{body.bytesize}\r\nconnection: close\r\n\r\n#{body unless method == "HEAD"}")
  end
end

receiver = Receiver.new(ENV)
host = ENV["HOST"].to_s.empty? ? "127.0.0.1" : ENV["HOST"]
server = TCPServer.new(host, Integer(ENV.fetch("PORT", "4011")))
server.listen(128)
puts "receiver listening on http://#{host}:#{server.addr[1]}/webhooks"
$stdout.flush
trap("TERM") { exit }
loop { Thread.new(server.accept) { |socket| Connection.new(socket, receiver).serve } }
