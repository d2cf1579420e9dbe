# Mint, modify, reserve, publish, withdraw, delete and download with the gem ezid-client; print what came back as JSON.
require "ezid-client"
require "json"
require "zlib"

target = ARGV.fetch(0)
statuses = []
status_of = ->(client, id) { Ezid::Metadata.new(client.get_identifier_metadata(id).metadata)["_status"] }

client = Ezid::Client.new
up = client.server_status.up?
minted = client.mint_identifier("ark:/99999/fk4", { "_target" => target, "erc.who" => "Proust, Marcel" }).id
client.modify_identifier(minted, { "erc.what" => "À la recherche: 100 %\n2" })
found = Ezid::Metadata.new(client.get_identifier_metadata(minted).metadata)
statuses << found["_status"]

deleted = nil
Ezid::Client.new do |session|
  session.create_identifier("ark:/99999/fk5ruby", { "_status" => "reserved" })
  statuses << status_of.call(session, "ark:/99999/fk5ruby")
  session.modify_identifier("ark:/99999/fk5ruby", { "_status" => "public", "_target" => target })
  statuses << status_of.call(session, "ark:/99999/fk5ruby")
  session.modify_identifier("ark:/99999/fk5ruby", { "_status" => "unavailable | withdrawn by author" })
  statuses << status_of.call(session, "ark:/99999/fk5ruby")
  session.create_identifier("ark:/99999/fk5rubydraft", { "_status" => "reserved" })
  deleted = session.delete_identifier("ark:/99999/fk5rubydraft").outcome
end

file = Ezid::BatchDownload.new("anvl", { permanence: "test" }).download_file(path: Dir.getwd)
download = Zlib::GzipReader.open(file) { |stream| stream.read(14) }

puts JSON.generate(
  up: up, target: found["_target"], who: found["erc.who"], what: found["erc.what"],
  statuses: statuses, deleted: deleted, download: download
)
